//! Hosts by their names, without a second copy of the names: four bytes for a place, and at most half of the places are
//! taken.

use crate::model::Host;
use smpi_base::HostId;
use smpi_base::map::FxBuildHasher;
use std::hash::BuildHasher;

/// No host is in this place.
const EMPTY: u32 = u32::MAX;

/// An open hash table of the hosts' numbers. A host is in the first free place from that of its hash on.
#[derive(Clone, Debug, Default)]
pub(crate) struct HostIndex {
    /// Invariant: a power of two of them, or none. More than half are [`EMPTY`].
    places: Vec<u32>,
    count: usize,
}

impl HostIndex {
    /// The host of this name among the `hosts`, those that were inserted.
    pub fn find(&self, hosts: &[Host], name: &str) -> Option<HostId> {
        let known = *self.places.get(self.place(hosts, name)?)?;
        (known != EMPTY).then_some(HostId(known))
    }

    /// Inserts the host that comes after the `hosts`. False, and nothing happened, when one has its name.
    pub fn insert(&mut self, hosts: &[Host], name: &str) -> bool {
        if self.find(hosts, name).is_some() {
            return false;
        }
        if 2 * (self.count + 1) > self.places.len() {
            self.places = vec![EMPTY; (4 * (self.count + 1)).next_power_of_two()];
            for (id, host) in hosts.iter().enumerate() {
                self.put(hosts, &host.name, id as u32);
            }
        }
        self.put(hosts, name, hosts.len() as u32);
        self.count += 1;
        true
    }

    fn put(&mut self, hosts: &[Host], name: &str, id: u32) {
        if let Some(place) = self.place(hosts, name) {
            self.places[place] = id;
        }
    }

    /// The place in which a name is, or would be. `None` as long as there are no places.
    fn place(&self, hosts: &[Host], name: &str) -> Option<usize> {
        let mask = self.places.len().checked_sub(1)?;
        let mut place = FxBuildHasher.hash_one(name) as usize & mask;
        while self.places[place] != EMPTY && hosts[self.places[place] as usize].name != name {
            place = (place + 1) & mask;
        }
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_is_found_and_no_other() {
        let (mut index, mut hosts) = (HostIndex::default(), Vec::new());
        assert_eq!(index.find(&hosts, "n-0"), None);
        for number in 0..5000 {
            let name = format!("n-{number}");
            assert!(index.insert(&hosts, &name));
            hosts.push(Host { name, speed_flops_per_sec: 1.0, cores: 1 });
            assert!(2 * hosts.len() <= index.places.len());
        }
        for (number, host) in hosts.iter().enumerate() {
            assert_eq!(index.find(&hosts, &host.name), Some(HostId(number as u32)));
            assert!(!index.insert(&hosts, &host.name));
        }
        assert_eq!(index.find(&hosts, "n-5000"), None);
    }
}
