//! Random walks: what the overlay shows after any changes is what a plain directory has after the same ones, with the
//! same errors, also after it was put back to an earlier moment; and the disk below stays as it was.

use super::files::{Files, Needs, Removes, Saved, Target};
use super::kind::Kind;
use super::tree::What;
use super::walk::Way;
use smpi_base::digest::Digest;
use smpi_base::rng::Rng;
use std::collections::BTreeMap;
use std::ffi::{CString, c_int};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::FromRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What is in a tree of directories: by name, what it is and what is in it.
type Shown = BTreeMap<PathBuf, (Kind, Vec<u8>)>;
type Outcome = Result<(), c_int>;

/// Changes that a walk makes; names are numbers of [`PATHS`].
#[derive(Clone, Copy, Debug)]
enum Step {
    Write(usize, c_int),
    Remove(usize),
    RemoveDirectory(usize),
    Make(usize),
    Rename(usize, usize),
    Link(usize, usize),
    Symlink(usize, usize),
    Cut(usize, u64),
}

const PATHS: &[&str] = &[
    "a",
    "b",
    "d",
    "e",
    "d/a",
    "d/b",
    "d/d",
    "d/d/a",
    "e/a",
    "e/d",
    "e/d/b",
    "l",
    "d/l",
    "l/a",
    "l/d/a",
    "d/../a",
    "e/.",
    "d/d/../b",
    "./b",
    "d/",
    "l/",
    "e/d/../../d/a",
    "a/b",
    "x/y",
];
const TARGETS: &[&str] = &["d", "../a", "a", "e/d", "nothing", "l", ".", "d/l"];
const FLAGS: &[c_int] = &[
    libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC,
    libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL,
    libc::O_WRONLY | libc::O_APPEND,
    libc::O_RDWR,
    libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND | libc::O_NOFOLLOW,
];

fn number(error: io::Error) -> c_int {
    error.raw_os_error().unwrap_or(libc::EIO)
}

fn opened(path: &Path, flags: c_int) -> Result<File, c_int> {
    let path = CString::new(path.as_os_str().as_bytes()).unwrap();
    // SAFETY: a valid path; the descriptor is the file's.
    unsafe {
        let descriptor = libc::open(path.as_ptr(), flags | libc::O_CLOEXEC, 0o644);
        if descriptor < 0 { Err(number(io::Error::last_os_error())) } else { Ok(File::from_raw_fd(descriptor)) }
    }
}

/// What a function of the system says.
fn told(result: c_int) -> Outcome {
    if result == 0 { Ok(()) } else { Err(number(io::Error::last_os_error())) }
}

fn text(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).unwrap()
}

/// Does a step in a plain directory.
fn plainly(base: &Path, step: Step, bytes: &[u8]) -> Outcome {
    let at = |path: usize| text(&base.join(PATHS[path]));
    // SAFETY: valid paths.
    unsafe {
        match step {
            Step::Write(path, flags) => opened(&base.join(PATHS[path]), flags)?.write_all(bytes).map_err(number),
            Step::Remove(path) => told(libc::unlink(at(path).as_ptr())),
            Step::RemoveDirectory(path) => told(libc::rmdir(at(path).as_ptr())),
            Step::Make(path) => told(libc::mkdir(at(path).as_ptr(), 0o755)),
            Step::Rename(from, to) => told(libc::rename(at(from).as_ptr(), at(to).as_ptr())),
            Step::Link(from, to) => told(libc::link(at(from).as_ptr(), at(to).as_ptr())),
            Step::Symlink(target, path) => symlink(TARGETS[target], base.join(PATHS[path])).map_err(number),
            Step::Cut(path, size) => told(libc::truncate(at(path).as_ptr(), size as libc::off_t)),
        }
    }
}

/// Does the same by the overlay.
fn by_overlay(files: &Files, base: &Path, step: Step, bytes: &[u8]) -> Outcome {
    let at = |path: usize| Path::new(PATHS[path]);
    let in_place = |target: Target, action: &dyn Fn(&Path) -> Outcome| match target {
        Target::Same => panic!("nothing here is the system's"),
        Target::Place(place) => action(&place),
        Target::New(fresh) => {
            action(fresh.place())?;
            files.made(fresh);
            Ok(())
        }
    };
    match step {
        Step::Write(path, flags) => in_place(files.open(base, at(path), flags)?, &|place| {
            opened(place, flags)?.write_all(bytes).map_err(number)
        }),
        Step::Remove(path) => files.remove(base, at(path), Removes::File).map(|_| ()),
        Step::RemoveDirectory(path) => files.remove(base, at(path), Removes::Directory).map(|_| ()),
        Step::Make(path) => in_place(files.make(base, at(path), true)?, &|place| fs::create_dir(place).map_err(number)),
        Step::Rename(from, to) => files.rename((base, at(from)), (base, at(to)), 0).map(|_| ()),
        Step::Link(from, to) => files.link((base, at(from)), (base, at(to)), false).map(|_| ()),
        Step::Symlink(target, path) => {
            in_place(files.make(base, at(path), false)?, &|place| symlink(TARGETS[target], place).map_err(number))
        }
        Step::Cut(path, size) => in_place(files.change(base, at(path), true, Needs::Writing)?, &|place| {
            // SAFETY: a valid path.
            unsafe { told(libc::truncate(text(place).as_ptr(), size as libc::off_t)) }
        }),
    }
}

fn what_is_in(place: &Path, kind: Kind) -> Vec<u8> {
    let mut bytes = Vec::new();
    match kind {
        Kind::Link => bytes.extend(fs::read_link(place).unwrap().as_os_str().as_bytes()),
        Kind::File => drop(File::open(place).unwrap().read_to_end(&mut bytes).unwrap()),
        _ => {}
    }
    bytes
}

fn show_plain(base: &Path, below: &Path, shown: &mut Shown) {
    for entry in fs::read_dir(base.join(below)).unwrap() {
        let (name, place) = (below.join(entry.as_ref().unwrap().file_name()), entry.unwrap().path());
        let kind = Kind::on_disk(&place).unwrap();
        shown.insert(name.clone(), (kind, what_is_in(&place, kind)));
        if kind == Kind::Directory {
            show_plain(base, &name, shown);
        }
    }
}

fn show_overlay(files: &Files, base: &Path, below: &Path, shown: &mut Shown) {
    let Ok(Target::Place(listed)) = files.list(base, &Path::new(".").join(below)) else { panic!("{below:?}") };
    assert!(files.name_of_place(&listed).is_some());
    for entry in fs::read_dir(listed).unwrap() {
        let entry = entry.unwrap();
        let name = below.join(entry.file_name());
        let Way::To(known, what) = files.way(base, &name, false).unwrap() else { panic!("{name:?}") };
        let kind = what.kind().unwrap();
        assert_eq!((Kind::on_disk(&entry.path()), &known), (Some(kind), &base.join(&name)));
        if let What::Disk(place, _) = &what {
            assert_eq!(files.name_of_place(place).as_ref(), Some(&known));
        }
        shown.insert(name.clone(), (kind, what_is_in(what.place().unwrap(), kind)));
        if kind == Kind::Directory {
            show_overlay(files, base, &name, shown);
        }
    }
}

fn all_plain(base: &Path) -> Shown {
    let mut shown = Shown::new();
    show_plain(base, Path::new(""), &mut shown);
    shown
}

fn all_of(files: &Files, base: &Path) -> Shown {
    let mut shown = Shown::new();
    show_overlay(files, base, Path::new(""), &mut shown);
    shown
}

/// A directory with something in it.
fn begin(base: &Path) {
    fs::create_dir_all(base.join("d/d")).unwrap();
    fs::create_dir(base.join("e")).unwrap();
    for (name, bytes) in [("a", "first"), ("d/a", "second"), ("d/d/a", "third"), ("e/a", "")] {
        fs::write(base.join(name), bytes).unwrap();
    }
    symlink("d", base.join("l")).unwrap();
}

/// A copy of a tree; hard links stay what they are.
fn copy(from: &Path, to: &Path) {
    let status = std::process::Command::new("cp").args(["-a", "--"]).args([from, to]).status().unwrap();
    assert!(status.success());
}

fn any_step(rng: &mut Rng) -> Step {
    let mut any = |count: usize| (rng.next_u64() % count as u64) as usize;
    match any(12) {
        0..4 => Step::Write(any(PATHS.len()), FLAGS[any(FLAGS.len())]),
        4 | 5 => Step::Remove(any(PATHS.len())),
        6 => Step::RemoveDirectory(any(PATHS.len())),
        7 => Step::Make(any(PATHS.len())),
        8 | 9 => Step::Rename(any(PATHS.len()), any(PATHS.len())),
        10 => Step::Link(any(PATHS.len()), any(PATHS.len())),
        _ if any(2) == 0 => Step::Symlink(any(TARGETS.len()), any(PATHS.len())),
        _ => Step::Cut(any(PATHS.len()), any(20) as u64),
    }
}

fn name_of(files: &Files) -> u128 {
    let mut digest = Digest::new();
    files.name(&mut digest);
    digest.bits()
}

/// One walk. Moments are kept, and some of them put back.
fn walk(seed: u64, steps: usize) {
    let mut rng = Rng::new(seed);
    let top = std::env::temp_dir().join(format!("smpi-overlay-walk-{}-{seed}", std::process::id()));
    fs::create_dir(&top).unwrap();
    let top = fs::canonicalize(top).unwrap();
    let (disk, plain) = (top.join("disk"), top.join("plain"));
    [&disk, &plain].into_iter().for_each(|base| begin(base));
    let before = all_plain(&disk);
    let files = Files::default();
    let mut moments: Vec<(Option<Rc<Saved>>, PathBuf, u128)> = Vec::new();
    let mut done = Vec::new();
    for turn in 0..steps {
        let step = any_step(&mut rng);
        done.push(step);
        let bytes = format!("<{turn}>");
        let expected = plainly(&plain, step, bytes.as_bytes());
        let found = by_overlay(&files, &disk, step, bytes.as_bytes());
        assert_eq!(found, expected, "seed {seed}: {done:?}");
        assert_eq!(all_of(&files, &disk), all_plain(&plain), "seed {seed}: {done:?}");
        match rng.next_u64() % 8 {
            0 => {
                let kept = top.join(format!("moment-{}", moments.len()));
                copy(&plain, &kept);
                moments.push((files.save(), kept, name_of(&files)));
            }
            1 if !moments.is_empty() => {
                let (saved, kept, name) = &moments[(rng.next_u64() % moments.len() as u64) as usize];
                files.put_back(saved.as_deref());
                fs::remove_dir_all(&plain).unwrap();
                copy(kept, &plain);
                assert_eq!(all_of(&files, &disk), all_plain(&plain), "seed {seed}: back, {done:?}");
                assert_eq!(name_of(&files), *name, "seed {seed}: {done:?}");
            }
            _ => {}
        }
    }
    assert_eq!(all_plain(&disk), before, "seed {seed}: the disk has changed");
    moments.clear();
    files.put_back(None);
    assert_eq!(all_of(&files, &disk), before);
    files.remove_folder();
    fs::remove_dir_all(&top).unwrap();
}

#[test]
fn walks_end_where_plain_directories_do() {
    (0..12).for_each(|seed| walk(seed, 60));
}

/// Most of a long file was never written, and costs nothing.
#[test]
fn long_files_with_little_in_them_come_back() {
    use std::os::unix::fs::{FileExt, MetadataExt};
    const FAR: u64 = 8 << 30;
    let base = fs::canonicalize(std::env::temp_dir()).unwrap();
    let (files, name) = (Files::default(), format!("smpi-overlay-long-{}", std::process::id()));
    let flags = libc::O_RDWR | libc::O_CREAT;
    let Ok(Target::New(fresh)) = files.open(&base, Path::new(&name), flags) else { panic!("it is new") };
    let file = opened(fresh.place(), flags).unwrap();
    files.made(fresh);
    file.write_all_at(b"near", 10).unwrap();
    file.write_all_at(b"far", FAR).unwrap();
    let saved = files.save();
    file.write_all_at(b"NEAR", 10).unwrap();
    file.write_all_at(b"between", FAR / 2).unwrap();
    file.set_len(FAR + 1).unwrap();
    files.put_back(saved.as_deref());
    let read = |at| {
        let mut bytes = [0; 4];
        let len = file.read_at(&mut bytes, at).unwrap();
        bytes[..len].to_vec()
    };
    assert_eq!((read(10), read(FAR / 2), read(FAR)), (b"near".to_vec(), vec![0; 4], b"far".to_vec()));
    let about = file.metadata().unwrap();
    assert!(about.size() == FAR + 3 && about.blocks() < 2000);
    files.remove_folder();
    assert!(!base.join(name).exists());
}
