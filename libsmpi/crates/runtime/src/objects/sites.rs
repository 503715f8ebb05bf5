//! Where a rank made the objects behind its handles.

use smpi_base::map::Map;
use smpi_base::table::Key;
use smpi_mpi::usage::Origin;

use super::handles::Kind;

/// Where a rank made the objects behind its handles.
#[derive(Clone, Debug, Default)]
pub struct Sites(Map<(u8, u32), Origin>);

impl Sites {
    /// Remembers it; what was in the slot before is forgotten.
    pub fn note(&mut self, kind: Kind, key: Key, origin: Origin) {
        if origin.site != 0 {
            self.0.insert((kind as u8, key.slot), origin);
        }
    }

    /// Where an object was made.
    pub fn get(&self, kind: Kind, key: Key) -> Origin {
        self.0.get(&(kind as u8, key.slot)).copied().unwrap_or_default()
    }
}
