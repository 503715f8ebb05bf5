//! Where the program goes on after the call that we are in, and after those that led to it, found by arithmetic: a walk
//! of the unwinder takes microseconds, and this some nanoseconds.
//!
//! The unwind table of a library or program (`.eh_frame`, DWARF 5 §6.4) has, for each instruction, how far above the
//! stack pointer or the frame pointer the caller's frame begins, and where in the frame the caller's frame pointer is.
//! Both are remembered by instruction: of libraries by address, of programs by image address, which is the same for
//! all ranks. Functions of libraries that are not the user's are passed: those that call MPI for the program, and those
//! that call the program back. Where a table says something else, or nothing, the walk ends. So a program needs no
//! frame pointers, and what is answered is right or missing.

use super::frames::site_of_return;
use crate::host_cell::HostCell;
use crate::record::Record;
use gimli::{BaseAddresses, CfaRule, EhFrame, EhFrameHdr, EndianSlice, NativeEndian, ParsedEhFrameHdr};
use gimli::{RegisterRule, UnwindContext, UnwindSection, UnwindTableRow, X86_64};
use smpi_base::map::Map;
use smpi_image::{Image, unwind};
use std::arch::asm;
use std::cell::RefCell;
use std::ops::Range;
use std::slice;

/// Functions of ours to go through, and of other libraries.
const DEEPEST: usize = 32;
/// Rules of all code but this library's that are found by where they lie: a power of two. What has lost its place to
/// another one is looked for among all that are known. To read it from the table again would take a hundred times as
/// long, and where two calls of one path share a place, each would lose it to the other at each call.
const PLACES: usize = 256;
/// The same of this library, whose functions may be some thirty at once: with so many places it is rare that two of
/// them share one. The addresses of a build decide that, and a walk takes twice as long then.
const OWN_PLACES: usize = 2048;

/// Calls of a path that are told: the one of this library, and those that led to it.
pub const PATH: usize = 3;

type Bytes<'a> = EndianSlice<'a, NativeEndian>;

/// The unwind table of a library or program.
struct Table<'a> {
    bases: BaseAddresses,
    header: ParsedEhFrameHdr<Bytes<'a>>,
    frames: EhFrame<Bytes<'a>>,
}

/// How to find the caller's frame.
#[derive(Clone, Copy)]
struct Rule {
    /// It begins above the frame pointer, not the stack pointer.
    is_above_frame_pointer: bool,
    /// So far.
    distance: u32,
    /// How far below its begin the caller's frame pointer is kept; 0: it still is the frame pointer.
    frame_pointer: u32,
}

/// Registers of a function at a call.
#[derive(Clone, Copy)]
struct Registers {
    /// Address at which it goes on, or where it is.
    code: usize,
    stack: usize,
    frame: usize,
}

/// A call of a program or library.
#[derive(Clone, Copy)]
struct Call {
    /// Which program it is of; 0: of none.
    program: usize,
    /// Its image address; of no program, its address.
    site: u64,
    /// It is in the user's part of a program.
    is_users: bool,
    /// How to go on from there.
    rule: Option<Rule>,
}

/// What is remembered.
struct Rules {
    /// Addresses of this library.
    own: Range<usize>,
    table: Option<Table<'static>>,
    context: UnwindContext<usize>,
    /// Address and rule, at a place that follows from the address.
    known: Vec<(usize, Option<Rule>)>,
    /// The same of all other code.
    calls: Vec<Option<Call>>,
    /// All that have been read.
    all_known: Map<usize, Option<Rule>>,
    /// The same of all other code, by program and image address.
    all_calls: Map<(usize, u64), Call>,
}

// SAFETY: `follow` alone uses it, which is called on stacks of ranks: on the hosting thread.
static RULES: HostCell<RefCell<Option<Rules>>> = unsafe { HostCell::new(RefCell::new(None)) };

/// Image address of the call by which the program of a rank, on whose stack we are, came here; behind it those of the
/// calls that led to its function, the inner first, as far as tables tell: those in the user's code, at most `most`;
/// then 0. `None` where it is not even known who called us.
#[inline(never)]
pub fn path(record: &Record, most: usize) -> Option<[u64; PATH]> {
    let (mut path, mut found) = ([0; PATH], 0);
    follow(record, here(), |call, _, _| {
        if call.is_users {
            path[found] = call.site;
            found += 1;
        }
        found == most
    });
    (found != 0).then_some(path)
}

/// Where the stack pointer of the program's function was when it made the call in which we are. `None` where tables do
/// not tell.
#[inline(never)]
pub fn stack_pointer(record: &Record) -> Option<usize> {
    let mut found = None;
    follow(record, here(), |call, registers, _| {
        found = call.is_users.then_some(registers.stack);
        call.is_users
    });
    found
}

/// The frame in which an address of the stack of a rank lies, on which we are, and the image address of the call by
/// which its function left it; `Some(None)` where it is no frame of the user's code, `None` where tables do not tell.
#[inline(never)]
pub fn frame_around(record: &Record, address: usize) -> Option<Option<(u64, Range<usize>)>> {
    let mut found = None;
    follow(record, here(), |call, registers, caller| {
        let Some(caller) = caller.filter(|_| address >= registers.stack) else {
            // The walk goes upwards, so this is no frame of the program, or nobody knows where it ends.
            found = (address < registers.stack).then_some(None);
            return true;
        };
        if address >= caller.stack {
            return false;
        }
        found = Some(call.is_users.then_some((call.site, registers.stack..caller.stack)));
        true
    });
    found
}

/// The registers where this is called.
#[inline(always)]
fn here() -> Registers {
    let (code, stack, frame): (usize, usize, usize);
    // SAFETY: reads three registers.
    unsafe {
        asm!(
            "lea {}, [rip]", "mov {}, rsp", "mov {}, rbp",
            out(reg) code, out(reg) stack, out(reg) frame,
            options(nomem, nostack, preserves_flags)
        );
    }
    Registers { code, stack, frame }
}

/// Shows the calls outside of this library that led a rank here, on whose stack we are, from the innermost on, with the
/// registers of the functions that made them and of those that had called these, as far as tables tell and until
/// `is_enough` says so.
#[inline]
fn follow(
    record: &Record,
    from: Registers,
    mut is_enough: impl FnMut(&Call, &Registers, Option<&Registers>) -> bool,
) -> Option<()> {
    let mut rules = RULES.try_borrow_mut().ok()?;
    let rules = rules.get_or_insert_with(|| Rules::at(from.code));
    let mut registers = rules.way_out(from)?;
    let image = &record.image;
    let (stack, code) = (image.region()..image.region() + image.program().region().stack_len, image.range());
    for _ in 0..DEEPEST {
        let call = rules.call(image, &code, registers.code)?;
        let caller = call.rule.and_then(|rule| rule.caller_in(&registers, &stack));
        if is_enough(&call, &registers, caller.as_ref()) {
            return Some(());
        }
        registers = caller?;
    }
    None
}

impl Rules {
    /// Of the library that has this instruction.
    fn at(code: usize) -> Rules {
        let found = unwind::find_object(code);
        let own = found.map_or(0..0, |found| found.map_start.addr()..found.map_end.addr());
        // SAFETY: this library is mapped as long as the process lives.
        let table = found.and_then(|found| unsafe { Table::of(program_headers(own.start)?, found.eh_frame.addr()) });
        let (known, calls) = (vec![(0, None); OWN_PLACES], vec![None; PLACES]);
        let (all_known, all_calls) = (Map::default(), Map::default());
        Rules { own, table, context: UnwindContext::new(), known, calls, all_known, all_calls }
    }

    /// The registers of those who called this library, from a frame of it on.
    #[inline]
    fn way_out(&mut self, mut registers: Registers) -> Option<Registers> {
        for _ in 0..DEEPEST {
            // SAFETY: these are frames of this library, and its own table says where the next one begins.
            registers = unsafe { self.at_instruction(registers.code)?.caller(&registers) };
            if !self.own.contains(&registers.code) {
                return Some(registers);
            }
            // The call is before the instruction that it returns to.
            registers.code -= 1;
        }
        None
    }

    #[inline]
    fn at_instruction(&mut self, code: usize) -> Option<Rule> {
        let (known, rule) = self.known[code % OWN_PLACES];
        if known == code {
            return rule;
        }
        let rule = self.known_anywhere(code)?;
        self.known[code % OWN_PLACES] = (code, rule);
        rule
    }

    #[cold]
    #[inline(never)]
    fn known_anywhere(&mut self, code: usize) -> Option<Option<Rule>> {
        let table = self.table.as_ref()?;
        Some(*self.all_known.entry(code).or_insert_with(|| table.rule(code, &mut self.context)))
    }

    /// The call that returns to this address. `None` in this library: there the program began, or is called back.
    #[inline]
    fn call(&mut self, image: &Image, addresses: &Range<usize>, code: usize) -> Option<Call> {
        let (program, bias) =
            if addresses.contains(&code) { (image.program().identity(), image.bias()) } else { (0, 0) };
        let site = code.wrapping_sub(bias + 1) as u64;
        // Calls are rarely a multiple of this apart.
        let place = (site ^ site >> 8) as usize % PLACES;
        match self.calls[place] {
            Some(known) if (known.program, known.site) == (program, site) => Some(known),
            _ if self.own.contains(&code) => None,
            _ => {
                let call = self.call_anywhere(program, site, code);
                Some(*self.calls[place].insert(call))
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn call_anywhere(&mut self, program: usize, site: u64, code: usize) -> Call {
        if let Some(known) = self.all_calls.get(&(program, site)) {
            return *known;
        }
        let is_users = program != 0 && site_of_return(code) == Some(site);
        let call = Call { program, site, is_users, rule: self.rule_of(code - 1) };
        self.all_calls.insert((program, site), call);
        call
    }

    /// What the table of the file says that an address of the image of the calling rank, or of a library, belongs to.
    #[inline(never)]
    fn rule_of(&mut self, code: usize) -> Option<Rule> {
        let found = unwind::find_object(code)?;
        let header = found.eh_frame.addr();
        let of_image = unwind::phdr_infos(code).find_map(|file| {
            // SAFETY: an image's description has the address and number of its program headers.
            let headers = unsafe { slice::from_raw_parts(file.dlpi_phdr, file.dlpi_phnum.into()) };
            let headers = Headers { base: file.dlpi_addr as usize, headers };
            headers.segment(header).map(|_| headers)
        });
        // SAFETY: the dynamic linker has just found the library, and functions of it that have called are on the stack.
        let parts = of_image.or_else(|| unsafe { program_headers(found.map_start.addr()) })?;
        // SAFETY: image and libraries are mapped while the table is looked at, as their code has called.
        let table = unsafe { Table::of(parts, header)? };
        table.rule(code, &mut self.context)
    }
}

impl Rule {
    /// A rule of a table, if it is of the kind that we know.
    fn of(row: &UnwindTableRow<usize>) -> Option<Rule> {
        let CfaRule::RegisterAndOffset { register, offset } = row.cfa() else { return None };
        let is_above_frame_pointer = *register == X86_64::RBP;
        if !is_above_frame_pointer && *register != X86_64::RSP {
            return None;
        }
        let word = size_of::<usize>() as i64;
        if row.register(X86_64::RA) != RegisterRule::Offset(-word) {
            return None;
        }
        let frame_pointer = match row.register(X86_64::RBP) {
            RegisterRule::Undefined | RegisterRule::SameValue => 0,
            RegisterRule::Offset(offset) if offset <= -word => u32::try_from(-offset).ok()?,
            _ => return None,
        };
        Some(Rule { is_above_frame_pointer, distance: u32::try_from(*offset).ok()?, frame_pointer })
    }

    /// Where the caller's frame begins.
    #[inline]
    fn begin(&self, registers: &Registers) -> usize {
        let from = if self.is_above_frame_pointer { registers.frame } else { registers.stack };
        from.wrapping_add(self.distance as usize)
    }

    /// The registers of the caller.
    ///
    /// # Safety
    /// The rule is for the function whose registers these are, and its frame is on a stack.
    #[inline]
    unsafe fn caller(&self, registers: &Registers) -> Registers {
        let begin = self.begin(registers);
        // SAFETY: System V AMD64 ABI: the return address lies just below the caller's frame. The rule says where that
        // begins, and where below it the frame pointer is kept.
        let below = |bytes: usize| unsafe { *((begin - bytes) as *const usize) };
        let frame = if self.frame_pointer == 0 { registers.frame } else { below(self.frame_pointer as usize) };
        Registers { code: below(size_of::<usize>()), stack: begin, frame }
    }

    /// The same of a function of a program, which may have changed its registers as no table says: what is read lies
    /// in the stack, above its frame's begin.
    #[inline]
    fn caller_in(&self, registers: &Registers, stack: &Range<usize>) -> Option<Registers> {
        let (begin, word) = (self.begin(registers), size_of::<usize>());
        let lowest = begin.checked_sub((self.frame_pointer as usize).max(word))?;
        let is_right = stack.contains(&registers.stack) && lowest >= registers.stack && begin <= stack.end;
        // SAFETY: the words are on the stack of a rank, in the frame of a function that has called.
        (is_right && begin % word == 0).then(|| unsafe { self.caller(registers) })
    }
}

impl<'a> Table<'a> {
    /// The table of a file from its header on.
    ///
    /// # Safety
    /// The file is mapped for as long as the table lives.
    unsafe fn of(headers: Headers<'a>, header: usize) -> Option<Table<'a>> {
        // SAFETY: as the caller has promised; segments with tables are not written to.
        let bytes =
            |from: usize| Some(unsafe { slice::from_raw_parts(from as *const u8, headers.segment(from)? - from) });
        let bases = BaseAddresses::default().set_eh_frame_hdr(header as u64);
        let parsed = EhFrameHdr::from(EndianSlice::new(bytes(header)?, NativeEndian)).parse(&bases, 8).ok()?;
        let gimli::Pointer::Direct(frames) = parsed.eh_frame_ptr() else { return None };
        let bases = bases.set_eh_frame(frames);
        let frames = EhFrame::from(EndianSlice::new(bytes(frames as usize)?, NativeEndian));
        Some(Table { bases, header: parsed, frames })
    }

    /// The rule at an instruction, if it is of the kind that we know.
    fn rule(&self, code: usize, context: &mut UnwindContext<usize>) -> Option<Rule> {
        let rows = self.header.table()?;
        let row =
            rows.unwind_info_for_address(&self.frames, &self.bases, context, code as u64, EhFrame::cie_from_offset);
        Rule::of(row.ok()?)
    }
}

/// The segments of a file that is mapped.
#[derive(Clone, Copy)]
struct Headers<'a> {
    /// What is added to its own addresses.
    base: usize,
    headers: &'a [libc::Elf64_Phdr],
}

impl Headers<'_> {
    /// The end of the segment that has an address, and that nobody writes to.
    fn segment(&self, address: usize) -> Option<usize> {
        let is_read_only = |part: &&libc::Elf64_Phdr| part.p_type == libc::PT_LOAD && part.p_flags & libc::PF_W == 0;
        let ends = self.headers.iter().filter(is_read_only).map(|part| {
            let start = self.base.wrapping_add(part.p_vaddr as usize);
            start..start + part.p_memsz as usize
        });
        ends.into_iter().find(|part| part.contains(&address)).map(|part| part.end)
    }
}

/// The program headers of a library that the dynamic linker has loaded. `None` where its first page does not have the
/// first bytes of its file at address 0, as libraries have.
///
/// # Safety
/// `start` is where it is mapped, at its first page, for as long as the headers are looked at.
unsafe fn program_headers(start: usize) -> Option<Headers<'static>> {
    // SAFETY: as the caller has promised; that page begins with the ELF header.
    let header = unsafe { &*(start as *const libc::Elf64_Ehdr) };
    let first = start + header.e_phoff as usize;
    // SAFETY: linkers put the program headers on the first page, behind that header, which says how many there are.
    let headers = unsafe { slice::from_raw_parts(first as *const libc::Elf64_Phdr, header.e_phnum.into()) };
    let lowest = headers.iter().find(|part| part.p_type == libc::PT_LOAD)?;
    ((lowest.p_vaddr, lowest.p_offset) == (0, 0)).then_some(Headers { base: start, headers })
}
