//! What the simulated machine is made of, for programs: hosts, and the zones of the platform file that they are in
//! (MPI 5.0 §9.1.2, §7.4.2).

use std::ffi::c_int;

use smpi_base::WorldRank;
use smpi_mpi::error::Result;
use smpi_mpi::group::Group;
use smpi_mpi::info::Info;

use super::info as infos;
use crate::abi::types::*;
use smpi_runtime::{Runtime, current_rank, with};

/// The names of a host, as a type of hardware. The first is the standard's, for what ranks share memory on.
const HOST: [&str; 2] = ["mpi_shared_memory", "smpi://host"];

/// What the name of a level of zones begins with; its number follows, from 1, the outermost.
const ZONE: &str = "smpi://zone/";

fn host_of(runtime: &Runtime, rank: WorldRank) -> c_int {
    runtime.layout.placement[rank.index()].index() as c_int
}

fn zones_of(runtime: &Runtime, rank: WorldRank) -> Vec<u32> {
    runtime.platform.zones_of(runtime.layout.placement[rank.index()])
}

/// The piece of hardware of this type on which the calling rank runs, as a number; `None` if there is none.
pub(super) fn instance_of(resource: &str) -> Option<c_int> {
    let rank = current_rank();
    if HOST.contains(&resource) {
        return Some(with(|runtime| host_of(runtime, rank)));
    }
    let level: usize = resource.strip_prefix(ZONE)?.parse().ok()?;
    let zones = with(|runtime| zones_of(runtime, rank));
    zones.get(level.checked_sub(1)?).map(|zone| *zone as c_int)
}

/// The piece of the largest hardware that parts the members of a group, on which the calling rank runs; `None` if it
/// runs on none such, or if all members share a host.
pub(super) fn first_difference(group: &Group) -> Option<c_int> {
    let rank = current_rank();
    with(|runtime| {
        let own = zones_of(runtime, rank);
        // Whether all members are in the same zones goes for all levels above the first that differs.
        let shared = group.worlds().fold(None, |shared: Option<Vec<u32>>, member| {
            let zones = zones_of(runtime, member);
            Some(match shared {
                None => zones,
                Some(shared) if shared == zones => shared,
                Some(shared) => {
                    shared.iter().zip(&zones).take_while(|(one, other)| one == other).map(|(one, _)| *one).collect()
                }
            })
        })?;
        let is_in_further = group.worlds().any(|member| zones_of(runtime, member).len() > shared.len());
        if is_in_further {
            return own.get(shared.len()).map(|zone| *zone as c_int);
        }
        let host = host_of(runtime, rank);
        group.worlds().any(|member| host_of(runtime, member) != host).then_some(host)
    })
}

/// `MPI_Get_hw_resource_info`: a rank runs on one of each type.
pub fn get_hw_resource_info() -> Result<MPI_Info> {
    let levels = with(|runtime| zones_of(runtime, current_rank()).len());
    let mut info = Info::new();
    let zones = (1..=levels).map(|level| format!("{ZONE}{level}"));
    for name in HOST.map(String::from).into_iter().chain(zones) {
        info.set(&name, "true")?;
    }
    infos::give_info(info)
}
