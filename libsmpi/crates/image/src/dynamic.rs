//! Tables that the dynamic section points to: symbols, versions, relocations.
//!
//! Source: gABI chapter 5; relative relocations (`DT_RELR`) as the gABI draft of 2022 describes them; symbol versions
//! as in Drepper, *ELF Symbol Versioning*; the GNU hash table as binutils writes it.

use crate::elf_file::{ElfFile, u16_at, u32_at, u64_at};
use crate::error::LoadError;
use object::elf;
use smpi_base::map::Map;

/// Tags of the relative relocation table (gABI 2022 draft), which `object` does not name.
const DT_RELR: u64 = 36;
const DT_RELRSZ: u64 = 35;
/// Bits of an entry of `.gnu.version` that are an index; the remaining one hides the symbol.
const INDEX: u16 = 0x7fff;
/// The largest entry of `.gnu.version` that means no version: 0 is for local symbols, 1 for those without.
pub(crate) const NO_VERSION: u16 = 1;
/// So many versions can be told apart by [`INDEX`].
const MOST_VERSIONS: u64 = INDEX as u64 + 1;
const SYMBOL_SIZE: u64 = 24;
const RELA_SIZE: u64 = 24;

/// One relocation with an addend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rela {
    pub address: u64,
    pub kind: u32,
    pub symbol: u32,
    pub addend: i64,
}

/// One entry of the dynamic symbol table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DynamicSymbol {
    name: u32,
    pub binding: u8,
    pub kind: u8,
    /// `STV_DEFAULT`, `STV_PROTECTED`, …
    pub visibility: u8,
    pub section: u16,
    pub value: u64,
    pub size: u64,
}

/// The versions that a file asks of one library.
pub(crate) struct AskedVersions {
    pub library: String,
    pub versions: Vec<AskedVersion>,
}

/// A version that a file asks for.
pub(crate) struct AskedVersion {
    /// Its index in `.gnu.version`: 2 at least, and at most [`INDEX`].
    pub number: u16,
    /// Invariant: not empty.
    pub name: String,
    /// The library may lack it.
    pub is_weak: bool,
}

impl ElfFile {
    /// Entry `index` of the dynamic symbol table.
    pub fn symbol(&self, index: u32) -> Result<DynamicSymbol, LoadError> {
        let table = self.dynamic_value(elf::DT_SYMTAB).ok_or_else(|| self.malformed("no dynamic symbol table"))?;
        let at = self.bytes(table.wrapping_add(u64::from(index) * SYMBOL_SIZE), SYMBOL_SIZE as usize)?;
        Ok(DynamicSymbol {
            name: u32_at(at, 0),
            binding: at[4] >> 4,
            kind: at[4] & 15,
            visibility: at[5] & 3,
            section: u16_at(at, 6),
            value: u64_at(at, 8),
            size: u64_at(at, 16),
        })
    }

    /// Name of a dynamic symbol.
    pub fn symbol_name(&self, symbol: &DynamicSymbol) -> Result<String, LoadError> {
        self.dynamic_string(u64::from(symbol.name))
    }

    /// Number of dynamic symbols, from the hash tables (the dynamic section does not say it directly).
    pub fn symbol_count(&self) -> Result<u32, LoadError> {
        if let Some(hash) = self.dynamic_value(elf::DT_HASH) {
            return Ok(u32_at(self.bytes(hash.wrapping_add(4), 4)?, 0));
        }
        let Some(hash) = self.dynamic_value(elf::DT_GNU_HASH) else { return Ok(0) };
        let header = self.bytes(hash, 16)?;
        let (buckets, first, bloom) = (u32_at(header, 0), u32_at(header, 4), u32_at(header, 8));
        let bucket_table = hash + 16 + u64::from(bloom) * 8;
        let mut last = 0;
        for bucket in 0..u64::from(buckets) {
            last = last.max(u32_at(self.bytes(bucket_table + 4 * bucket, 4)?, 0));
        }
        if last < first {
            return Ok(first);
        }
        let chains = bucket_table + 4 * u64::from(buckets);
        while u32_at(self.bytes(chains + 4 * u64::from(last - first), 4)?, 0) & 1 == 0 {
            last += 1;
        }
        Ok(last + 1)
    }

    /// The relocations of `.rela.dyn` and `.rela.plt`, in order.
    pub fn relocations(&self) -> Result<Vec<Rela>, LoadError> {
        let mut relocations = Vec::new();
        for (table, size) in [(elf::DT_RELA, elf::DT_RELASZ), (elf::DT_JMPREL, elf::DT_PLTRELSZ)] {
            let (Some(table), Some(size)) = (self.dynamic_value(table), self.dynamic_value(size)) else { continue };
            for index in 0..size / RELA_SIZE {
                let at = self.bytes(table.wrapping_add(index * RELA_SIZE), RELA_SIZE as usize)?;
                relocations.push(Rela {
                    address: u64_at(at, 0),
                    kind: u32_at(at, 8),
                    symbol: u32_at(at, 12),
                    addend: u64_at(at, 16) as i64,
                });
            }
        }
        Ok(relocations)
    }

    /// Link-time addresses of the words in the compact relative table (`DT_RELR`).
    pub fn relative_words(&self) -> Result<Vec<u64>, LoadError> {
        let tag = |tag| self.dynamic.get(&tag).copied();
        let (Some(table), Some(size)) = (tag(DT_RELR), tag(DT_RELRSZ)) else { return Ok(Vec::new()) };
        let mut words = Vec::new();
        let mut next = 0u64;
        for index in 0..size / 8 {
            let entry = u64_at(self.bytes(table.wrapping_add(8 * index), 8)?, 0);
            if entry & 1 == 0 {
                // An even entry is an address; the bitmaps after it describe the 63 words that follow each.
                words.push(entry);
                next = entry.wrapping_add(8);
            } else {
                words.extend((0..63).filter(|bit| entry >> (bit + 1) & 1 == 1).map(|bit| next.wrapping_add(8 * bit)));
                next = next.wrapping_add(63 * 8);
            }
        }
        Ok(words)
    }

    /// Versions asked of libraries (`.gnu.version_r`).
    pub fn asked_versions(&self) -> Result<Vec<AskedVersions>, LoadError> {
        let mut asked = Vec::new();
        let (Some(mut at), Some(count)) = (self.dynamic_value(elf::DT_VERNEED), self.dynamic_value(elf::DT_VERNEEDNUM))
        else {
            return Ok(asked);
        };
        let mut entries = 0;
        for _ in 0..count {
            let need = self.bytes(at, 16)?;
            let library = self.dynamic_string(u64::from(u32_at(need, 4)))?;
            let mut versions = Vec::new();
            let mut aux_at = at.wrapping_add(u64::from(u32_at(need, 8)));
            for _ in 0..u16_at(need, 2) {
                let aux = self.bytes(aux_at, 16)?;
                let name = self.dynamic_string(u64::from(u32_at(aux, 8)))?;
                let number = u16_at(aux, 6) & INDEX;
                if number <= NO_VERSION || name.is_empty() {
                    return Err(self.malformed(format!("version {number} of {library} has no number or no name")));
                }
                versions.push(AskedVersion { number, name, is_weak: u16_at(aux, 4) & elf::VER_FLG_WEAK != 0 });
                aux_at = aux_at.wrapping_add(u64::from(u32_at(aux, 12)));
                entries += 1;
            }
            asked.push(AskedVersions { library, versions });
            // Entries that lie in each other may be read for ever.
            if entries > MOST_VERSIONS {
                return Err(self.malformed("more versions than a symbol can name"));
            }
            let next = u32_at(need, 12);
            if next == 0 {
                break;
            }
            at = at.wrapping_add(u64::from(next));
        }
        Ok(asked)
    }

    /// Versions that a library defines (`.gnu.version_d`) by their index in `.gnu.version`.
    pub fn defined_versions(&self) -> Result<Map<u16, String>, LoadError> {
        let mut versions = Map::default();
        let (Some(mut at), Some(count)) = (self.dynamic_value(elf::DT_VERDEF), self.dynamic_value(elf::DT_VERDEFNUM))
        else {
            return Ok(versions);
        };
        for entry in 0..count {
            if entry > MOST_VERSIONS {
                return Err(self.malformed("more versions than a symbol can name"));
            }
            let definition = self.bytes(at, 20)?;
            // The first auxiliary entry is the version itself; the others are its predecessors.
            let name = self.bytes(at.wrapping_add(u64::from(u32_at(definition, 12))), 8)?;
            let name = self.dynamic_string(u64::from(u32_at(name, 0)))?;
            versions.insert(u16_at(definition, 4) & INDEX, name);
            let next = u32_at(definition, 16);
            if next == 0 {
                break;
            }
            at = at.wrapping_add(u64::from(next));
        }
        Ok(versions)
    }

    /// Number of a dynamic symbol's version, one of [`ElfFile::asked_versions`] or [`ElfFile::defined_versions`]; up to
    /// [`NO_VERSION`] it has none. The flag says that the symbol is hidden from those who ask for no version.
    pub fn version_index(&self, symbol: u32) -> Result<(u16, bool), LoadError> {
        let Some(table) = self.dynamic_value(elf::DT_VERSYM) else { return Ok((0, false)) };
        let index = u16_at(self.bytes(table.wrapping_add(2 * u64::from(symbol)), 2)?, 0);
        Ok((index & INDEX, index & !INDEX != 0))
    }

    /// Name of the first dynamic symbol with version number `number`.
    pub fn symbol_of_version(&self, number: u16) -> Result<Option<String>, LoadError> {
        for index in 1..self.symbol_count()? {
            if self.version_index(index)?.0 == number {
                return self.symbol_name(&self.symbol(index)?).map(Some);
            }
        }
        Ok(None)
    }

    /// All definitions of this name, with their indices: one, except of names with several versions.
    pub fn definitions(&self, name: &str) -> Result<Vec<(u32, DynamicSymbol)>, LoadError> {
        let mut found = Vec::new();
        let Some(table) = self.dynamic_value(elf::DT_GNU_HASH) else {
            for index in 1..self.symbol_count()? {
                self.add_definition(index, name, &mut found)?;
            }
            return Ok(found);
        };
        let header = self.bytes(table, 16)?;
        let (buckets, first) = (u32_at(header, 0), u32_at(header, 4));
        let (bloom, shift) = (u32_at(header, 8), u32_at(header, 12));
        if buckets == 0 || bloom == 0 {
            return Ok(found);
        }
        let hash = gnu_hash(name);
        let word = self.bytes(table + 16 + u64::from(hash / 64 % bloom) * 8, 8)?;
        let second = hash.checked_shr(shift).unwrap_or(0);
        let mask = 1_u64 << (hash % 64) | 1_u64 << (second % 64);
        if u64_at(word, 0) & mask != mask {
            return Ok(found);
        }
        let bucket_table = table + 16 + u64::from(bloom) * 8;
        let chains = bucket_table + 4 * u64::from(buckets);
        let mut index = u32_at(self.bytes(bucket_table + 4 * u64::from(hash % buckets), 4)?, 0);
        while index >= first && index != 0 {
            let entry = u32_at(self.bytes(chains + 4 * u64::from(index - first), 4)?, 0);
            if (entry ^ hash) >> 1 == 0 {
                self.add_definition(index, name, &mut found)?;
            }
            if entry & 1 != 0 {
                break;
            }
            index += 1;
        }
        Ok(found)
    }

    fn add_definition(&self, index: u32, name: &str, found: &mut Vec<(u32, DynamicSymbol)>) -> Result<(), LoadError> {
        let symbol = self.symbol(index)?;
        if symbol.section != elf::SHN_UNDEF && symbol.binding != elf::STB_LOCAL && self.symbol_name(&symbol)? == name {
            found.push((index, symbol));
        }
        Ok(())
    }
}

/// The hash function of GNU hash tables: Bernstein's, times 33.
fn gnu_hash(name: &str) -> u32 {
    name.bytes().fold(5381_u32, |hash, byte| hash.wrapping_mul(33).wrapping_add(u32::from(byte)))
}
