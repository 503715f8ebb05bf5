//! Where the program goes on after the call that we are in, found by arithmetic: a walk of the unwinder takes
//! microseconds, and this some nanoseconds.
//!
//! Functions of this library keep their frames at the stack pointer: the unwind table (`.eh_frame`, DWARF 5 §6.4) has,
//! for each instruction, how far above it the caller's frame begins. These distances are remembered by instruction. A
//! function whose table says something else ends the walk, and the unwinder has to do it.

use super::frames::site_of_return;
use crate::host_cell::HostCell;
use gimli::{BaseAddresses, CfaRule, EhFrame, EhFrameHdr, EndianSlice, NativeEndian, ParsedEhFrameHdr};
use gimli::{UnwindContext, UnwindSection, X86_64};
use smpi_image::unwind;
use std::arch::asm;
use std::cell::RefCell;
use std::ops::Range;
use std::slice;

/// Functions of ours to go through.
const DEEPEST: usize = 32;
/// Distances that are remembered, and call sites.
const PLACES: usize = 256;

type Bytes = EndianSlice<'static, NativeEndian>;

/// The unwind table of this library.
struct Table {
    bases: BaseAddresses,
    header: ParsedEhFrameHdr<Bytes>,
    frames: EhFrame<Bytes>,
    context: UnwindContext<usize>,
}

/// Distances from the stack pointer to the caller's frame.
struct Distances {
    /// Addresses of this library.
    own: Range<usize>,
    table: Option<Table>,
    /// Address and distance, at a place that follows from the address.
    known: [(usize, usize); PLACES],
    /// The same of return addresses in the program and their image addresses.
    sites: [(usize, u64); PLACES],
}

// SAFETY: `site` alone uses it, which is called on stacks of ranks: on the hosting thread.
static DISTANCES: HostCell<RefCell<Option<Distances>>> = unsafe { HostCell::new(RefCell::new(None)) };

/// Image address of the call by which the program came here; `None` where a table does not tell, or somebody else than
/// the user's code called.
#[inline(never)]
pub fn site() -> Option<u64> {
    let (code, stack): (usize, usize);
    // SAFETY: reads two registers.
    unsafe {
        asm!("lea {}, [rip]", "mov {}, rsp", out(reg) code, out(reg) stack, options(nomem, nostack, preserves_flags));
    }
    let mut distances = DISTANCES.try_borrow_mut().ok()?;
    let distances = distances.get_or_insert_with(|| Distances::at(code));
    let address = distances.way_out(code, stack)?;
    // Images of ranks are some power of two apart.
    let place = &mut distances.sites[(address ^ address >> 24) % PLACES];
    if place.0 != address {
        *place = (address, site_of_return(address)?);
    }
    Some(place.1)
}

impl Distances {
    /// Of the library that has this instruction.
    fn at(code: usize) -> Distances {
        let found = unwind::find_object(code);
        let own = found.map_or(0..0, |found| found.map_start.addr()..found.map_end.addr());
        let table = found.and_then(|found| Table::of(own.clone(), found.eh_frame.addr()));
        Distances { own, table, known: [(0, 0); PLACES], sites: [(0, 0); PLACES] }
    }

    /// The address at which those go on who called this library, from a frame of it on.
    #[inline]
    fn way_out(&mut self, mut code: usize, mut stack: usize) -> Option<usize> {
        for _ in 0..DEEPEST {
            let caller = stack + self.at_instruction(code)?;
            // SAFETY: System V AMD64 ABI: the return address lies just below the caller's frame, which the library's
            // own table says is here.
            let next = unsafe { *((caller - size_of::<usize>()) as *const usize) };
            if !self.own.contains(&next) {
                return Some(next);
            }
            // The call is before the instruction that it returns to.
            (code, stack) = (next - 1, caller);
        }
        None
    }

    #[inline]
    fn at_instruction(&mut self, code: usize) -> Option<usize> {
        let place = code % PLACES;
        let (known, distance) = self.known[place];
        if known == code {
            return Some(distance);
        }
        let distance = self.table.as_mut()?.distance(code)?;
        self.known[place] = (code, distance);
        Some(distance)
    }
}

impl Table {
    /// The table of a library from its header on.
    fn of(own: Range<usize>, header: usize) -> Option<Table> {
        let rest = segment(&own, header)?;
        let bases = BaseAddresses::default().set_eh_frame_hdr(header as u64);
        let parsed = EhFrameHdr::from(EndianSlice::new(rest, NativeEndian)).parse(&bases, 8).ok()?;
        let gimli::Pointer::Direct(frames) = parsed.eh_frame_ptr() else { return None };
        let bytes = segment(&own, frames as usize)?;
        let bases = bases.set_eh_frame(frames);
        let frames = EhFrame::from(EndianSlice::new(bytes, NativeEndian));
        Some(Table { bases, header: parsed, frames, context: UnwindContext::new() })
    }

    /// How far the caller's frame is above the stack pointer at an instruction, if that is where the table has it.
    fn distance(&mut self, code: usize) -> Option<usize> {
        let Table { bases, header, frames, context } = self;
        let rows = header.table()?;
        let row = rows.unwind_info_for_address(frames, bases, context, code as u64, EhFrame::cie_from_offset);
        match row.ok()?.cfa() {
            CfaRule::RegisterAndOffset { register, offset } if *register == X86_64::RSP => {
                usize::try_from(*offset).ok()
            }
            _ => None,
        }
    }
}

/// The bytes of a library from an address on to the end of its segment, which nobody writes to.
fn segment(own: &Range<usize>, from: usize) -> Option<&'static [u8]> {
    // SAFETY: `own` is where this library is mapped, for ever, from its first page on: that has the ELF header.
    let header = unsafe { &*(own.start as *const libc::Elf64_Ehdr) };
    let first = own.start + header.e_phoff as usize;
    // SAFETY: linkers put the program headers on the first page, behind that header, which says how many there are.
    let parts = unsafe { slice::from_raw_parts(first as *const libc::Elf64_Phdr, header.e_phnum.into()) };
    let ends = parts.iter().filter(|part| part.p_type == libc::PT_LOAD && part.p_flags & libc::PF_W == 0).map(|part| {
        let start = own.start + part.p_vaddr as usize;
        start..start + part.p_memsz as usize
    });
    let end = ends.into_iter().find(|part| part.contains(&from))?.end;
    // SAFETY: a segment of this library is mapped as long as the process lives, and this one cannot be written to.
    Some(unsafe { slice::from_raw_parts(from as *const u8, end - from) })
}
