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
        } else {
            self.0.remove(&(kind as u8, key.slot));
        }
    }

    /// All places, in any order.
    pub fn iter(&self) -> impl Iterator<Item = (&(u8, u32), &Origin)> {
        self.0.iter()
    }

    /// Where an object was made.
    pub fn get(&self, kind: Kind, key: Key) -> Origin {
        self.0.get(&(kind as u8, key.slot)).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use smpi_base::table::Table;

    use super::*;

    #[test]
    fn the_place_is_that_of_the_object_in_the_slot_now() {
        let origin = |site| Origin { site, ..Origin::default() };
        let mut table: Table<()> = Table::default();
        let mut sites = Sites::default();
        let first = table.insert(()).unwrap();
        sites.note(Kind::Group, first, origin(10));
        // Other kinds have tables of their own.
        sites.note(Kind::Comm, first, origin(20));
        assert_eq!((sites.get(Kind::Group, first).site, sites.get(Kind::Comm, first).site), (10, 20));
        table.remove(first);
        let second = table.insert(()).unwrap();
        assert_eq!(second.slot, first.slot);
        sites.note(Kind::Group, second, origin(30));
        assert_eq!(sites.get(Kind::Group, second).site, 30);
        assert_eq!(sites.get(Kind::Info, second), Origin::default());
        sites.note(Kind::Group, second, origin(0));
        assert_eq!(sites.get(Kind::Group, second), Origin::default(), "a place that is not known");
    }
}
