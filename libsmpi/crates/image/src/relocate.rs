//! Turns the relocations of all files of an image into lists, once; what remains per rank is one addition per word.
//!
//! - *words* that hold image addresses: every rank adds its bias to them;
//! - everything else (addresses in the process's libraries, thread-local offsets, copied objects) has the same value in
//!   every image and is written into the memfd;
//! - *indirect functions* have a resolver that chooses their address: [`crate::apply`] runs the resolvers once, in a
//!   scratch image, and adds their answers to one of the other lists;
//! - *duplicates* are parts of the image that appear in it a second time: initial values of thread-local variables, and
//!   variables of private libraries of which the executable has a copy.
//!
//! Definitions of the image bind inside it, so that a pointer to a function or a variable means the rank's own. The
//! scope is the dynamic linker's: executable, private libraries in order, then the process.

use crate::arch::{self, Action};
use crate::dynamic::{DynamicSymbol, Rela};
use crate::elf_file::ElfFile;
use crate::error::LoadError;
use crate::layout::Region;
use crate::members::{Member, Members};
use crate::private::{self, PrivateVariable};
use crate::resolve::{Scope, find_in_libraries, object_size};
use crate::tls;
use crate::versions::display_name;
use object::elf;

/// `STV_PROTECTED`: a definition that nobody overrides.
const PROTECTED: u8 = 3;

/// A word whose value the function at image address `resolver` chooses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Indirect {
    pub address: u64,
    pub resolver: u64,
}

/// A part of the image that appears a second time, after relocation: image addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Duplicate {
    pub from: u64,
    pub to: u64,
    pub len: usize,
}

/// The relocations of an image, sorted by what they depend on. All addresses are image addresses.
#[derive(Default)]
pub(crate) struct Relocations {
    /// Address and value of words of the memfd.
    pub fixed: Vec<(u64, u64)>,
    /// Address and contents of copied objects.
    pub copies: Vec<(u64, Vec<u8>)>,
    /// Words that each rank adds its bias to.
    pub words: Vec<u64>,
    /// Words that wait for their resolver.
    pub indirect: Vec<Indirect>,
    /// What appears twice.
    pub duplicates: Vec<Duplicate>,
    /// The private variables, by number.
    pub private: [u64; private::COUNT],
    /// Those of them that the program has a copy of, or names.
    pub used: [bool; private::COUNT],
}

/// Where a symbol is.
#[derive(Clone, Copy, Debug)]
enum Target {
    /// At this image address.
    Image(u64),
    /// At this address, for all images.
    Fixed(u64),
    /// Where the resolver at this image address says.
    Resolver(u64),
}

/// Binds all symbols and classifies all relocations of an image.
pub(crate) fn classify(members: &Members, region: &Region, scope: &Scope<'_>) -> Result<Relocations, LoadError> {
    let mut out = Relocations::default();
    place_private_variables(&mut out, members, region)?;
    for member in &members.list {
        let mut binder = Binder { member, members, scope, cache: Vec::new(), undefined: Vec::new(), out: &mut out };
        for address in member.file.relative_words()? {
            binder.check_word(address)?;
            binder.out.words.push(member.at(address));
        }
        for rela in &member.file.relocations()? {
            binder.apply(rela)?;
        }
        if !binder.undefined.is_empty() {
            return Err(LoadError::UndefinedSymbols { path: member.file.path.clone(), names: binder.undefined });
        }
        if let Some(tls) = member.file.tls {
            let block = (region.tls_offset - region.image_offset) as u64 + members.tls.size as u64;
            let to = members.first_address() + block - member.tls_distance;
            out.duplicates.push(Duplicate { from: member.at(tls.address), to, len: tls.file_size });
        }
    }
    out.words.sort_unstable();
    Ok(out)
}

/// Gives every private variable its place: the executable's own copy if it has one, else a cell with libc's value.
fn place_private_variables(out: &mut Relocations, members: &Members, region: &Region) -> Result<(), LoadError> {
    let cells = members.first_address() + (region.cells_offset - region.image_offset) as u64;
    for variable in PrivateVariable::all() {
        out.used[variable as usize] = variable.is_always_used();
        out.private[variable as usize] = cells + variable.cell() as u64;
        if let Some(address) = find_in_libraries(variable.symbol(), None) {
            let value = read_object(address, variable.size());
            out.copies.push((cells + variable.cell() as u64, value));
        }
    }
    let executable = members.executable();
    for rela in executable.relocations()?.iter().filter(|rela| arch::action(rela.kind) == Some(Action::Copy)) {
        let name = executable.symbol_name(&executable.symbol(rela.symbol)?)?;
        if let Some(variable) = PrivateVariable::from_symbol(&name) {
            out.private[variable as usize] = rela.address;
            out.used[variable as usize] = true;
        }
    }
    Ok(())
}

/// Binds the symbols of one file.
struct Binder<'a> {
    member: &'a Member,
    members: &'a Members,
    scope: &'a Scope<'a>,
    /// Targets of the symbols seen so far, by index.
    cache: Vec<Option<Target>>,
    undefined: Vec<String>,
    out: &'a mut Relocations,
}

impl<'a> Binder<'a> {
    fn check_word(&self, address: u64) -> Result<(), LoadError> {
        let file = &self.member.file;
        if file.is_mapped(address, 8) {
            Ok(())
        } else {
            Err(file.malformed(format!("relocation of {address:#x}, which is in no segment")))
        }
    }

    fn apply(&mut self, rela: &Rela) -> Result<(), LoadError> {
        let file = &self.member.file;
        let Some(action) = arch::action(rela.kind) else {
            let symbol = if rela.symbol == 0 { String::new() } else { file.symbol_name(&file.symbol(rela.symbol)?)? };
            return Err(LoadError::UnsupportedRelocation { path: file.path.clone(), kind: rela.kind, symbol });
        };
        if action == Action::Nothing {
            return Ok(());
        }
        let addend = rela.addend as u64;
        let at = self.member.at(rela.address);
        if action != Action::Copy {
            self.check_word(rela.address)?;
        }
        match action {
            Action::Nothing => {}
            Action::Relative => self.relative(at, self.member.at(addend)),
            Action::IndirectRelative => {
                check_resolver(&self.member.file, addend)?;
                self.out.indirect.push(Indirect { address: at, resolver: self.member.at(addend) });
            }
            Action::Absolute => self.address(rela, addend)?,
            Action::Slot => self.address(rela, 0)?,
            Action::Copy => self.copy(rela)?,
            Action::TlsModule => self.tls_module(rela)?,
            Action::TlsModuleOffset => {
                let offset = self.thread_offset(rela)?;
                self.out.fixed.push((at, offset.map_or(0, tls::module_offset)));
            }
            Action::TlsOffset => {
                let offset = self.thread_offset(rela)?;
                self.out.fixed.push((at, offset.unwrap_or(0)));
            }
            Action::TlsDescriptor => {
                let offset = self.thread_offset(rela)?;
                self.check_word(rela.address + 8)?;
                self.out.fixed.push((at, arch::return_tls_offset as *const () as u64));
                self.out.fixed.push((at + 8, offset.unwrap_or(0)));
            }
        }
        Ok(())
    }

    /// A word with an image address: the memfd holds the image address, each rank adds its bias.
    fn relative(&mut self, at: u64, value: u64) {
        self.out.fixed.push((at, value));
        self.out.words.push(at);
    }

    /// A word with a symbol's address.
    fn address(&mut self, rela: &Rela, addend: u64) -> Result<(), LoadError> {
        let at = self.member.at(rela.address);
        match self.target(rela.symbol)? {
            Target::Image(value) => self.relative(at, value.wrapping_add(addend)),
            Target::Fixed(value) => self.out.fixed.push((at, value.wrapping_add(addend))),
            Target::Resolver(resolver) => self.out.indirect.push(Indirect { address: at, resolver }),
        }
        Ok(())
    }

    fn target(&mut self, index: u32) -> Result<Target, LoadError> {
        let slot = index as usize;
        if let Some(&Some(target)) = self.cache.get(slot) {
            return Ok(target);
        }
        // Binding reads the symbol, so that an index beyond the table is refused before the cache grows to it.
        let target = if index == 0 { Target::Fixed(0) } else { self.bind(index)? };
        if self.cache.len() <= slot {
            self.cache.resize(slot + 1, None);
        }
        self.cache[slot] = Some(target);
        Ok(target)
    }

    /// The file of the image that defines a symbol of this file, and the definition; `None` when none does.
    fn definition(&self, index: u32, name: &str) -> Result<Option<(&'a Member, DynamicSymbol)>, LoadError> {
        let symbol = self.member.file.symbol(index)?;
        let is_first = std::ptr::eq(self.member, &self.members.list[0]);
        let binds_itself =
            is_first || self.member.is_symbolic || symbol.binding == elf::STB_LOCAL || symbol.visibility == PROTECTED;
        if symbol.section != elf::SHN_UNDEF && binds_itself {
            return Ok(Some((self.member, symbol)));
        }
        let version = self.member.versions.of(&self.member.file, index)?;
        let own = || (symbol.section != elf::SHN_UNDEF).then_some((self.member, symbol));
        Ok(self.members.find(name, version)?.or_else(own))
    }

    fn bind(&mut self, index: u32) -> Result<Target, LoadError> {
        let symbol = self.member.file.symbol(index)?;
        let name = self.member.file.symbol_name(&symbol)?;
        if let Some((member, symbol)) = self.definition(index, &name)? {
            // A function of a compiler's run-time library may be replaced, but not for the library's own calls.
            if member.is_runtime
                && !std::ptr::eq(member, self.member)
                && symbol.kind == elf::STT_FUNC
                && let Some(address) = (self.scope.interpose)(&name, &self.member.name)
            {
                return Ok(Target::Fixed(address as u64));
            }
            return Ok(match (symbol.section, symbol.kind) {
                (elf::SHN_ABS, _) => Target::Fixed(symbol.value),
                (_, elf::STT_GNU_IFUNC) => {
                    check_resolver(&member.file, symbol.value)?;
                    Target::Resolver(member.at(symbol.value))
                }
                _ => Target::Image(member.at(symbol.value)),
            });
        }
        let version = self.member.versions.of(&self.member.file, index)?;
        let user = self.member.name.as_str();
        let private = PrivateVariable::from_symbol(&name).filter(|_| (self.scope.interpose)(&name, user).is_none());
        match (self.scope.find(&name, version, user), private) {
            (Some(_), Some(variable)) => {
                self.out.used[variable as usize] = true;
                Ok(Target::Image(self.out.private[variable as usize]))
            }
            (Some(address), None) => Ok(Target::Fixed(address as u64)),
            (None, _) => {
                self.note_undefined(&symbol, &name, version);
                Ok(Target::Fixed(0))
            }
        }
    }

    fn note_undefined(&mut self, symbol: &DynamicSymbol, name: &str, version: Option<&str>) {
        if symbol.binding != elf::STB_WEAK {
            self.undefined.push(display_name(name, version));
        }
    }

    /// Copies an object into the executable: of a private library, what that starts with; of another, as it is now.
    fn copy(&mut self, rela: &Rela) -> Result<(), LoadError> {
        let file = &self.member.file;
        let symbol = file.symbol(rela.symbol)?;
        let name = file.symbol_name(&symbol)?;
        let version = self.member.versions.of(file, rela.symbol)?;
        let size = symbol.size as usize;
        if !file.is_mapped(rela.address, size) {
            return Err(file.malformed(format!("copy of {name} does not fit its segment")));
        }
        let to = self.member.at(rela.address);
        if let Some((owner, original)) = self.members.find_in_libraries(&name, version)? {
            let len = size.min(original.size as usize);
            if !owner.file.is_mapped(original.value, len) {
                return Err(owner.file.malformed(format!("{name} is in no segment")));
            }
            self.out.duplicates.push(Duplicate { from: owner.at(original.value), to, len });
            return Ok(());
        }
        match self.scope.find(&name, version, &self.member.name) {
            // A library of the same version has no smaller object than the static linker saw; a damaged file may ask
            // for more.
            Some(address) => self.out.copies.push((to, read_object(address, size.min(object_size(address))))),
            None => self.note_undefined(&symbol, &name, version),
        }
        Ok(())
    }

    /// A module number for `__tls_get_addr`. Without a symbol it belongs to the file's own block, and the word after
    /// it holds the offset there (local-dynamic model, or a symbol that the static linker bound).
    fn tls_module(&mut self, rela: &Rela) -> Result<(), LoadError> {
        let at = self.member.at(rela.address);
        self.out.fixed.push((at, tls::MAIN_MODULE));
        if rela.symbol == 0 {
            self.check_word(rela.address + 8)?;
            let bytes = self.member.file.bytes(rela.address + 8, 8)?;
            let offset = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
            self.out.fixed.push((at + 8, tls::module_offset(self.member.thread_offset(offset))));
        }
        Ok(())
    }

    /// Offset from the thread pointer of a thread-local symbol: in the block of a file of the image, else in a
    /// library's. `None` for a weak symbol that nobody defines.
    fn thread_offset(&mut self, rela: &Rela) -> Result<Option<u64>, LoadError> {
        let addend = rela.addend as u64;
        if rela.symbol == 0 {
            return Ok(Some(self.member.thread_offset(addend)));
        }
        let symbol = self.member.file.symbol(rela.symbol)?;
        let name = self.member.file.symbol_name(&symbol)?;
        if let Some((member, symbol)) = self.definition(rela.symbol, &name)? {
            return Ok(Some(member.thread_offset(symbol.value.wrapping_add(addend))));
        }
        let version = self.member.versions.of(&self.member.file, rela.symbol)?;
        let address = find_in_libraries(&name, version);
        if address.is_none() {
            self.note_undefined(&symbol, &name, version);
        }
        Ok(address.map(|address| tls::offset_of_address(address).wrapping_add(addend)))
    }
}

/// Refuses a resolver that is not code; its address is one of `file`'s own.
fn check_resolver(file: &ElfFile, resolver: u64) -> Result<(), LoadError> {
    if file.is_mapped_as(resolver, 1, elf::PF_X) {
        return Ok(());
    }
    Err(file.malformed(format!("resolver {resolver:#x} of an indirect function is not code")))
}

/// The current bytes of an object of a library.
fn read_object(address: usize, size: usize) -> Vec<u8> {
    // SAFETY: the dynamic linker answered `address` for a symbol of data in a library that stays loaded. `size` is at
    // most what that library says of the symbol, or what libc's manual says of the variable. The bytes are copied
    // before anything else can run.
    unsafe { std::slice::from_raw_parts(address as *const u8, size) }.to_vec()
}
