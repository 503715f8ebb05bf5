//! C++ in images: static objects, streams, exceptions through libgcc's unwinder.

mod common;

use common::{call, compile_with, construct, images, open};
use smpi_image::unwind::{self, DlFindObject};
use std::ffi::{c_int, c_void};

/// What libsmpi exports: libgcc_s asks for the unwind tables of every address here.
///
/// # Safety
/// As in glibc: `result` points to a writable structure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _dl_find_object(pc: *mut c_void, result: *mut DlFindObject) -> c_int {
    let Some(found) = unwind::find_object(pc.addr()) else { return -1 };
    // SAFETY: glibc gives room for the structure.
    unsafe { result.write(found) };
    0
}

const SOURCE: &str = r#"
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>
struct Loud { int n; Loud() : n(5) {} ~Loud() { n = 0; } };
static Loud loud;
static std::vector<std::string> words{"a", "b"};
struct Base { virtual ~Base() {} virtual int id() { return 1; } };
struct Derived : Base { int id() override { return 2; } };
struct Own : std::runtime_error { int code; Own(int c) : std::runtime_error("own"), code(c) {} };
static int unwound;
struct Guard { ~Guard() { ++unwound; } };
static void thrower(int depth) { Guard g; if (depth == 0) throw Own(41); thrower(depth - 1); }
extern "C" {
long catches(long depth) { try { thrower(depth); } catch (const Own &e) { return e.code + (std::string(e.what()) == "own"); } return 0; }
long catches_base(long) { try { throw Own(1); } catch (const std::exception &e) { return 7; } catch (...) { return 8; } return 0; }
long catches_library(long) { try { return std::vector<int>(3).at(9); } catch (const std::out_of_range &) { return 9; } return 0; }
long rethrows(long) { try { try { throw 5; } catch (int) { throw; } } catch (int i) { return i; } return 0; }
long unwound_frames(long) { return unwound; }
long statics(long add) { loud.n += add; words.push_back("c"); return loud.n * 100 + words.size(); }
long casts(long d) { Base *b = d ? new Derived : new Base; long r = (dynamic_cast<Derived *>(b) != nullptr) * 10 + b->id(); r += 100 * (typeid(*b) == typeid(Derived)); delete b; return r; }
long prints(long width) { std::cout.width(width); std::cout << "" << std::flush; return std::cout.good() && std::cerr.good(); }
long unsync(long) { std::ios_base::sync_with_stdio(false); std::cout << "" << std::flush; return std::cout.good(); }
long formats(long x) { std::ostringstream s; s << x << ' ' << 1.5; return s.str() == std::to_string(x) + " 1.5"; }
}
int main() { return 0; }
"#;

#[test]
fn objects_exceptions_and_streams_work_in_every_image() {
    for (name, flag) in [("cxx", "-fPIE"), ("cxx-pic", "-fPIC"), ("cxx-static-gcc", "-static-libgcc")] {
        let path = compile_with("g++", name, SOURCE, &["-pie", "-fPIE", "-rdynamic", flag]);
        let program = open(&path).expect("opens");
        let images = images(&program, 4, true);
        let stride = images[1].region() - images[0].region();
        unwind::publish(&program, images[0].region(), stride, 4, 0);
        images.iter().for_each(construct);
        for (i, image) in images.iter().enumerate() {
            let i = i as i64;
            assert_eq!(call(image, "catches", 3), 42, "{name}");
            assert_eq!(call(image, "unwound_frames", 0), 4);
            assert_eq!(call(image, "catches_base", 0), 7);
            assert_eq!(call(image, "catches_library", 0), 9);
            assert_eq!(call(image, "rethrows", 0), 5);
            assert_eq!(call(image, "statics", i), (5 + i) * 100 + 3);
            assert_eq!(call(image, "casts", 0), 1);
            assert_eq!(call(image, "casts", 1), 112);
            assert_eq!(call(image, "prints", 0), 1);
            assert_eq!(call(image, "unsync", 0), 1);
            assert_eq!(call(image, "formats", i), 1);
        }
    }
}
