//! Turns a program's relocations into three lists, once; what remains per rank is one addition per word.
//!
//! - *words* that hold link-time addresses of the image itself: every rank adds its bias to them;
//! - everything else (addresses in libraries, thread-local offsets, copied objects) has the same value in every image and
//!   is written into the memfd;
//! - *indirect functions* choose their address when they run: [`crate::program`] runs them once, in a scratch image, and
//!   adds the answer to one of the other lists.
//!
//! Definitions of the program bind inside its own image, so that a pointer to a function or a variable means the rank's own.

use crate::arch::{self, Action};
use crate::dynamic::{DynamicSymbol, Rela};
use crate::error::LoadError;
use crate::layout::Region;
use crate::parse::Parsed;
use crate::private::PrivateVariable;
use crate::resolve::{Scope, Versions, display_name, find_in_libraries};
use crate::tls::{self, TlsTemplate};
use object::elf;

/// A word whose value the function at link-time address `resolver` answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Indirect {
    pub address: u64,
    pub resolver: u64,
}

/// A program's relocations, sorted by what they depend on.
#[derive(Default)]
pub(crate) struct Relocations {
    /// Link-time address and value of words of the memfd.
    pub fixed: Vec<(u64, u64)>,
    /// Link-time address and contents of copied objects.
    pub copies: Vec<(u64, Vec<u8>)>,
    /// Link-time addresses of words that each rank adds its bias to.
    pub words: Vec<u64>,
    /// Words that wait for their resolver.
    pub indirect: Vec<Indirect>,
    /// Link-time addresses of the private variables, in the order of [`PrivateVariable::ALL`].
    pub private: [u64; PrivateVariable::ALL.len()],
}

/// Where a symbol is.
#[derive(Clone, Copy, Debug)]
enum Target {
    /// At this link-time address of the image.
    Image(u64),
    /// At this address, for all images.
    Fixed(u64),
    /// Where the function at this link-time address of the image says.
    Resolver(u64),
}

/// Binds all symbols and classifies all relocations of a program.
pub(crate) fn classify(
    parsed: &Parsed,
    region: &Region,
    tls: &TlsTemplate,
    scope: &Scope<'_>,
) -> Result<Relocations, LoadError> {
    let relas = parsed.relocations()?;
    let mut binder = Binder {
        parsed,
        tls,
        scope,
        versions: Versions::new(parsed)?,
        cache: Vec::new(),
        undefined: Vec::new(),
        out: Relocations::default(),
    };
    binder.place_private_variables(region, &relas)?;
    for address in parsed.relative_words()? {
        binder.check_word(address)?;
        binder.out.words.push(address);
    }
    for rela in &relas {
        binder.apply(rela)?;
    }
    if !binder.undefined.is_empty() {
        return Err(LoadError::UndefinedSymbols { path: parsed.path.clone(), names: binder.undefined });
    }
    let mut out = binder.out;
    out.words.sort_unstable();
    Ok(out)
}

struct Binder<'a> {
    parsed: &'a Parsed,
    tls: &'a TlsTemplate,
    scope: &'a Scope<'a>,
    versions: Versions,
    /// Targets of the symbols seen so far, by index.
    cache: Vec<Option<Target>>,
    undefined: Vec<String>,
    out: Relocations,
}

impl Binder<'_> {
    /// Gives every private variable its place: the program's own copy if it has one, else a cell with libc's value.
    fn place_private_variables(&mut self, region: &Region, relas: &[Rela]) -> Result<(), LoadError> {
        let cells = self.parsed.first_address + (region.cells_offset - region.image_offset) as u64;
        for variable in PrivateVariable::ALL {
            self.out.private[variable as usize] = cells + variable.cell() as u64;
            if let Some(address) = find_in_libraries(variable.symbol(), None) {
                let value = read_object(address, variable.size());
                self.out.copies.push((cells + variable.cell() as u64, value));
            }
        }
        for rela in relas.iter().filter(|rela| arch::action(rela.kind) == Some(Action::Copy)) {
            let name = self.parsed.symbol_name(&self.parsed.symbol(rela.symbol)?)?;
            if let Some(variable) = PrivateVariable::from_symbol(&name) {
                self.out.private[variable as usize] = rela.address;
            }
        }
        Ok(())
    }

    fn check_word(&self, address: u64) -> Result<(), LoadError> {
        if self.parsed.is_mapped(address, 8) {
            Ok(())
        } else {
            Err(self.parsed.malformed(format!("relocation of {address:#x}, which is in no segment")))
        }
    }

    fn apply(&mut self, rela: &Rela) -> Result<(), LoadError> {
        let Some(action) = arch::action(rela.kind) else {
            let symbol = if rela.symbol == 0 {
                String::new()
            } else {
                self.parsed.symbol_name(&self.parsed.symbol(rela.symbol)?)?
            };
            return Err(LoadError::UnsupportedRelocation { path: self.parsed.path.clone(), kind: rela.kind, symbol });
        };
        if action == Action::Nothing {
            return Ok(());
        }
        let addend = rela.addend as u64;
        if action != Action::Copy {
            self.check_word(rela.address)?;
        }
        match action {
            Action::Nothing => {}
            Action::Relative => self.relative(rela.address, addend),
            Action::IndirectRelative => self.indirect(rela.address, addend)?,
            Action::Absolute => self.address(rela, addend)?,
            Action::Slot => self.address(rela, 0)?,
            Action::Copy => self.copy(rela)?,
            Action::TlsModule => self.tls_module(rela)?,
            Action::TlsModuleOffset => {
                let offset = self.tls_offset(rela, TlsTemplate::module_offset, tls::module_offset_of_address)?;
                self.out.fixed.push((rela.address, offset));
            }
            Action::TlsOffset => {
                let offset = self.tls_offset(rela, TlsTemplate::thread_offset, tls::offset_of_address)?;
                self.out.fixed.push((rela.address, offset));
            }
            Action::TlsDescriptor => {
                let offset = self.tls_offset(rela, TlsTemplate::thread_offset, tls::offset_of_address)?;
                self.check_word(rela.address + 8)?;
                self.out.fixed.push((rela.address, arch::return_tls_offset as *const () as u64));
                self.out.fixed.push((rela.address + 8, offset));
            }
        }
        Ok(())
    }

    /// A word with an address of the image: the memfd holds the link-time address, each rank adds its bias.
    fn relative(&mut self, address: u64, value: u64) {
        self.out.fixed.push((address, value));
        self.out.words.push(address);
    }

    /// A word that the program's function `resolver` chooses.
    fn indirect(&mut self, address: u64, resolver: u64) -> Result<(), LoadError> {
        if !self.parsed.is_mapped_as(resolver, 1, elf::PF_X) {
            return Err(self.parsed.malformed(format!("resolver {resolver:#x} of an indirect function is not code")));
        }
        self.out.indirect.push(Indirect { address, resolver });
        Ok(())
    }

    /// A word with a symbol's address.
    fn address(&mut self, rela: &Rela, addend: u64) -> Result<(), LoadError> {
        match self.target(rela.symbol)? {
            Target::Image(value) => self.relative(rela.address, value.wrapping_add(addend)),
            Target::Fixed(value) => self.out.fixed.push((rela.address, value.wrapping_add(addend))),
            Target::Resolver(resolver) => self.indirect(rela.address, resolver)?,
        }
        Ok(())
    }

    fn target(&mut self, index: u32) -> Result<Target, LoadError> {
        let slot = index as usize;
        if self.cache.len() <= slot {
            self.cache.resize(slot + 1, None);
        }
        if let Some(target) = self.cache[slot] {
            return Ok(target);
        }
        let target = if index == 0 { Target::Fixed(0) } else { self.bind(index, &self.parsed.symbol(index)?)? };
        self.cache[slot] = Some(target);
        Ok(target)
    }

    fn bind(&mut self, index: u32, symbol: &DynamicSymbol) -> Result<Target, LoadError> {
        match symbol.section {
            elf::SHN_UNDEF => {}
            elf::SHN_ABS => return Ok(Target::Fixed(symbol.value)),
            _ if symbol.kind == elf::STT_GNU_IFUNC => return Ok(Target::Resolver(symbol.value)),
            _ => return Ok(Target::Image(symbol.value)),
        }
        let name = self.parsed.symbol_name(symbol)?;
        let version = self.versions.of(self.parsed, index)?;
        let private = PrivateVariable::from_symbol(&name).filter(|_| (self.scope.interpose)(&name).is_none());
        match (self.scope.find(&name, version), private) {
            (Some(_), Some(variable)) => Ok(Target::Image(self.out.private[variable as usize])),
            (Some(address), None) => Ok(Target::Fixed(address as u64)),
            (None, _) => {
                if symbol.binding != elf::STB_WEAK {
                    self.undefined.push(display_name(&name, version));
                }
                Ok(Target::Fixed(0))
            }
        }
    }

    /// Copies a library's object, as it is now, into the image.
    fn copy(&mut self, rela: &Rela) -> Result<(), LoadError> {
        let symbol = self.parsed.symbol(rela.symbol)?;
        let name = self.parsed.symbol_name(&symbol)?;
        let version = self.versions.of(self.parsed, rela.symbol)?;
        let size = symbol.size as usize;
        if !self.parsed.is_mapped(rela.address, size) {
            return Err(self.parsed.malformed(format!("copy of {name} does not fit its segment")));
        }
        match self.scope.find(&name, version) {
            Some(address) => self.out.copies.push((rela.address, read_object(address, size))),
            None if symbol.binding == elf::STB_WEAK => {}
            None => self.undefined.push(display_name(&name, version)),
        }
        Ok(())
    }

    /// A module number for `__tls_get_addr`. Without a symbol it belongs to the program's own block, and the word after
    /// it holds the offset there (local-dynamic model, or a symbol that the static linker bound).
    fn tls_module(&mut self, rela: &Rela) -> Result<(), LoadError> {
        self.out.fixed.push((rela.address, tls::MAIN_MODULE));
        if rela.symbol == 0 {
            self.check_word(rela.address + 8)?;
            let bytes = self.parsed.bytes(rela.address + 8, 8)?;
            let offset = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
            self.out.fixed.push((rela.address + 8, self.tls.module_offset(offset)));
        }
        Ok(())
    }

    /// Offset of a thread-local symbol: `own` for the program's block, `foreign` for an address in a library's.
    fn tls_offset(
        &mut self,
        rela: &Rela,
        own: fn(&TlsTemplate, u64) -> u64,
        foreign: fn(usize) -> u64,
    ) -> Result<u64, LoadError> {
        let addend = rela.addend as u64;
        if rela.symbol == 0 {
            return Ok(own(self.tls, addend));
        }
        let symbol = self.parsed.symbol(rela.symbol)?;
        if symbol.section != elf::SHN_UNDEF {
            return Ok(own(self.tls, symbol.value.wrapping_add(addend)));
        }
        let name = self.parsed.symbol_name(&symbol)?;
        let version = self.versions.of(self.parsed, rela.symbol)?;
        match find_in_libraries(&name, version) {
            Some(address) => Ok(foreign(address).wrapping_add(addend)),
            None => {
                if symbol.binding != elf::STB_WEAK {
                    self.undefined.push(display_name(&name, version));
                }
                Ok(0)
            }
        }
    }
}

/// The current bytes of an object of a library.
fn read_object(address: usize, size: usize) -> Vec<u8> {
    // SAFETY: `address` is what the dynamic linker answered for a data symbol, and the program was linked against a
    // library in which this object has `size` bytes.
    unsafe { std::slice::from_raw_parts(address as *const u8, size) }.to_vec()
}
