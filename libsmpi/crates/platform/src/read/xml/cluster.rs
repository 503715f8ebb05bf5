//! `<cluster>`, and the parts of a zone with routing="Cluster": `<cabinet>`, `<backbone>`, `<host_link>`.

use super::element::{Element, Result};
use super::{Reader, taken};
use crate::build::{Cluster, RouteLink};
use crate::model::{Direction, Point, Sharing};
use crate::names::HostNames;
use crate::topology::{Dragonfly, FatTree, Topology, Torus};

const KEYS: [&str; 18] = [
    "id",
    "prefix",
    "suffix",
    "radical",
    "speed",
    "core",
    "bw",
    "lat",
    "sharing_policy",
    "topology",
    "topo_parameters",
    "bb_bw",
    "bb_lat",
    "bb_sharing_policy",
    "router_id",
    "limiter_link",
    "loopback_bw",
    "loopback_lat",
];

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Flat,
    Torus,
    FatTree,
    Dragonfly,
}

impl<'a> Reader<'a> {
    pub(super) fn cluster(&mut self, element: Element<'a>, zone: u32) -> Result<()> {
        element.only(&KEYS)?;
        let kinds =
            [("FLAT", Kind::Flat), ("TORUS", Kind::Torus), ("FAT_TREE", Kind::FatTree), ("DRAGONFLY", Kind::Dragonfly)];
        let kind = element.choice("topology", &kinds, Kind::Flat)?;
        // SimGrid makes links that are split or shared, and takes a fat pipe for shared.
        let policies = [
            ("SPLITDUPLEX", Sharing::SplitDuplex),
            ("FULLDUPLEX", Sharing::SplitDuplex),
            ("SHARED", Sharing::Shared),
            ("FATPIPE", Sharing::Shared),
        ];
        let middle = [("SHARED", Sharing::Shared), ("FATPIPE", Sharing::FatPipe)];
        let middle = element.choice("bb_sharing_policy", &middle, Sharing::Shared)?;
        let backbone = element.optional_link("bb_bw", "bb_lat")?.filter(|_| kind == Kind::Flat);
        let cluster = Cluster {
            name: element.required("id")?.to_owned(),
            hosts: names(element)?,
            cores: element.count("core", 1)?,
            speed_flops_per_sec: element.speed("speed", 0)?,
            bandwidth_bytes_per_sec: element.bandwidth("bw")?,
            latency_secs: element.required("lat").and_then(|_| element.latency("lat"))?,
            sharing: element.choice("sharing_policy", &policies, Sharing::SplitDuplex)?,
            topology: topology(element, kind)?,
            spread: false,
            backbone: backbone.map(|(bandwidth, latency)| (bandwidth, latency, middle)),
            loopback: element.optional_link("loopback_bw", "loopback_lat")?,
            limiter: element.optional_bandwidth("limiter_link")?,
        };
        let (hosts, _) = self.builder.counts();
        let id = self.builder.cluster(&cluster, zone).map_err(|why| taken(element, &why))?;
        self.host_energy(element, 0, hosts)?;
        if kind == Kind::Flat {
            let (prefix, suffix) = (element.required("prefix")?, element.required("suffix")?);
            let router = match element.optional("router_id") {
                Some(name) => name.to_owned(),
                None => format!("{prefix}{}_router{suffix}", cluster.name),
            };
            self.builder.name_router(&router, id).map_err(|why| taken(element, &why))?;
        }
        Ok(())
    }

    /// The end of a zone with routing="Cluster": the links between its hosts and the middle.
    pub(super) fn star(&mut self, element: Element<'a>, zone: u32) -> Result<()> {
        let mut backbone = None;
        for child in element.children().filter(|child| child.tag() == "backbone") {
            child.only(&["id", "bandwidth", "latency"])?;
            let values = (child.bandwidth("bandwidth")?, child.latency("latency")?);
            let link = self.new_link(child, child.required("id")?.to_owned(), values, Sharing::Shared)?;
            backbone = Some(super::route::up(link));
        }
        let with_backbone = |first: RouteLink, is_up: bool| -> Vec<RouteLink> {
            let mut way: Vec<RouteLink> = [Some(first), backbone].into_iter().flatten().collect();
            if !is_up {
                way.reverse();
            }
            way
        };
        for child in element.children().filter(|child| child.tag() == "host_link") {
            child.only(&["id", "up", "down"])?;
            let host = self.point(child, "id")?;
            let (up, down) = (self.end_link(child, "up")?, self.end_link(child, "down")?);
            self.join(child, host, [&with_backbone(up, true), &with_backbone(down, false)])?;
        }
        for child in element.children().filter(|child| child.tag() == "cabinet") {
            child.only(&["id", "prefix", "suffix", "radical", "speed", "bw", "lat"])?;
            let names = names(child)?;
            let (speed, values) = (
                child.speed("speed", 0)?,
                (child.bandwidth("bw")?, child.required("lat").and_then(|_| child.latency("lat"))?),
            );
            for name in (0..names.count()).map(|index| names.name(index)) {
                let host = self.builder.host(&name, speed, 1, zone).map_err(|why| taken(child, &why))?;
                let link = self.new_link(child, format!("link_{name}"), values, Sharing::SplitDuplex)?;
                let [up, down] = [Direction::Up, Direction::Down].map(|direction| RouteLink { link, direction });
                self.join(child, Point::Host(host), [&with_backbone(up, true), &with_backbone(down, false)])?;
            }
        }
        Ok(())
    }

    pub(super) fn join(&mut self, element: Element<'a>, host: Point, [up, down]: [&[RouteLink]; 2]) -> Result<()> {
        self.builder.spoke(host, None, [Some(up), Some(down), None]).map_err(|why| {
            element.error(format!("{why}, expected a zone with routing=\"Cluster\" or \"Vivaldi\"; change the routing"))
        })
    }

    /// A link of a host in a star, by its name.
    fn end_link(&self, element: Element<'a>, key: &str) -> Result<RouteLink> {
        let name = element.required(key)?;
        let found = self.half(name).or_else(|| self.builder.link_named(name).map(super::route::up));
        found.ok_or_else(|| {
            let message = format!("no link is named \"{name}\", expected a link of this file; describe it before");
            element.error_in(key, message)
        })
    }
}

/// The hosts by `prefix`, `radical` and `suffix`. Unlike patterns, radicals are numbers: leading zeros are dropped.
fn names(element: Element<'_>) -> Result<HostNames> {
    let radical = element.required("radical")?;
    let plain = |word: &str| {
        let word = word.trim();
        let short = word.trim_start_matches('0');
        if short.is_empty() && !word.is_empty() { "0".to_owned() } else { short.to_owned() }
    };
    let range = |part: &str| part.split('-').map(plain).collect::<Vec<_>>().join("-");
    let list = radical.split(',').map(range).collect::<Vec<_>>().join(",");
    HostNames::numbered(element.required("prefix")?, &list, element.required("suffix")?).map_err(|why| {
        element.error_in("radical", format!("{why}, expected numbers and ranges such as \"0-63,70\"; correct it"))
    })
}

fn topology(element: Element<'_>, kind: Kind) -> Result<Topology> {
    let parameters = element.optional("topo_parameters").unwrap_or_default();
    let refused = |why: String, example: &str| {
        let message = format!("{why}, expected for example topo_parameters=\"{example}\"; change the numbers");
        element.error_in("topo_parameters", message)
    };
    let numbers = |text: &str| -> std::result::Result<Vec<u32>, String> {
        let number = |word: &str| word.trim().parse().map_err(|_| format!("\"{word}\" is not a number"));
        text.split(',').map(number).collect()
    };
    let lists = || parameters.split(';').map(numbers).collect::<std::result::Result<Vec<_>, _>>();
    match kind {
        Kind::Flat => Ok(Topology::Switch),
        Kind::Torus => numbers(parameters)
            .and_then(|sizes| Torus::new(&sizes))
            .map(Topology::Torus)
            .map_err(|why| refused(why, "3,2,2")),
        Kind::FatTree => {
            let tree = lists().and_then(|lists| match &lists[..] {
                [levels, down, up, parallel] if levels.len() == 1 && levels[0] as usize == down.len() => {
                    FatTree::new(down, up, parallel)
                }
                _ => Err("not a number of levels and three lists of so many numbers".to_owned()),
            });
            tree.map(Topology::FatTree).map_err(|why| refused(why, "2;4,4;1,2;1,2"))
        }
        Kind::Dragonfly => {
            let dragonfly =
                lists().and_then(|lists| match lists.iter().map(|list| &list[..]).collect::<Vec<_>>()[..] {
                    [[groups, group_links], [chassis, chassis_links], [routers, router_links], [nodes]] => {
                        let dragonfly = Dragonfly {
                            groups: *groups,
                            chassis: *chassis,
                            routers: *routers,
                            nodes: *nodes,
                            group_links: *group_links,
                            chassis_links: *chassis_links,
                            router_links: *router_links,
                        };
                        dragonfly.check().map(|()| dragonfly)
                    }
                    _ => Err("not groups, chassis and routers with their links, and a number of nodes".to_owned()),
                });
            dragonfly.map(Topology::Dragonfly).map_err(|why| refused(why, "3,4;4,3;5,1;2"))
        }
    }
}
