//! Reads SimGrid's platform files as they are (its XML format, versions 4 and 4.1).
//!
//! What SimGrid 3.32 does is the truth where its manual says something else. Wi-Fi, random profiles and what SimGrid
//! itself has dropped are refused by their names; disks and other properties of hosts than their energy have no
//! meaning for messages and are passed over.

mod cluster;
mod deployment;
mod element;
mod over_time;
mod route;
mod text;

use crate::build::{PlatformBuilder, Routing};
use crate::error::PlatformError;
use crate::graph::Shortest;
use crate::model::{Link, LinkId, Point, Sharing};
use crate::platform::Platform;
use crate::profile::Changes;
use crate::zones::ROOT;
pub use deployment::deployment;
use element::{Element, Result};
use smpi_base::map::Map;
use smpi_settings::{for_platforms, known_to_platforms, meant};

/// Attributes of hosts that name profiles.
const PROFILES: [&str; 3] = ["speed_file", "availability_file", "state_file"];
const WIFI: &str = "Wi-Fi is out of scope";

/// Reads a platform from its text.
pub(super) fn read(file: &str, text: &str) -> Result<Platform> {
    let text = text::cleaned(file, text)?;
    let document = document(file, &text)?;
    let root = Element { file, node: document.root_element() };
    let mut reader = Reader {
        builder: PlatformBuilder::default(),
        split: Map::default(),
        places: Map::default(),
        traces: Map::default(),
    };
    // As SMPI does; a <config> of the file may say otherwise.
    reader.builder.setting("smpi/hosts-by-name", "yes", None);
    reader.platform(root)?;
    // SimGrid notices missing ways when a message needs them.
    let platform = reader.builder.build_with_gaps(file);
    match platform.hosts.is_empty() {
        true => Err(root.error("the platform has no host, expected a <host> or a <cluster>; add one".to_owned())),
        false => Ok(platform),
    }
}

fn document<'a>(file: &str, text: &'a str) -> Result<roxmltree::Document<'a>> {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    roxmltree::Document::parse_with_options(text, options).map_err(|why| {
        let (line, column) = (why.pos().row as usize, why.pos().col as usize);
        let why = why.to_string();
        let what = why.split(" at ").next().unwrap_or_default();
        let message = format!("{what}, expected XML; correct the syntax here");
        PlatformError { file: file.to_owned(), place: Some((line, column)), message }
    })
}

struct Reader<'a> {
    builder: PlatformBuilder,
    /// Links that stand for two, and their names without `_UP` and `_DOWN`.
    split: Map<&'a str, LinkId>,
    /// Where hosts and routers are in the network's space.
    places: Map<Point, [f64; 3]>,
    /// Profiles that have names.
    traces: Map<&'a str, Changes>,
}

impl<'a> Reader<'a> {
    fn platform(&mut self, root: Element<'a>) -> Result<()> {
        if root.tag() != "platform" {
            let message =
                format!("the file is a <{}>, expected a <platform> of SimGrid; give another file", root.tag());
            return Err(root.error(message));
        }
        root.only(&["version"])?;
        let version: f64 = root.optional("version").and_then(|text| text.parse().ok()).unwrap_or(0.0);
        if !(3.995..4.105).contains(&version) {
            let message = format!(
                "this is version {version} of SimGrid's platform files, expected 4 or 4.1; convert it with \
                 simgrid_update_xml"
            );
            return Err(root.error(message));
        }
        for child in root.children() {
            match child.tag() {
                "config" => self.config(child)?,
                // Which actor runs where is said by smpirun's options.
                "actor" | "process" | "random" => {}
                _ => self.member(child, ROOT)?,
            }
        }
        Ok(())
    }

    /// Settings of the simulation. SimGrid applies them in the order of their names.
    fn config(&mut self, config: Element<'a>) -> Result<()> {
        let mut settings = Vec::new();
        for prop in config.children() {
            prop.only(&["id", "value"])?;
            settings.push((prop.required("id")?, prop));
        }
        settings.sort_by_key(|(key, _)| *key);
        for (key, prop) in settings {
            if !for_platforms(key) {
                let known: Vec<String> = known_to_platforms().collect();
                let hint = match meant(key, &known) {
                    Some(near) => format!("did you mean \"{near}\"?"),
                    None => "see the list in docs/smpirun.md, Settings".to_owned(),
                };
                let message = format!("unknown setting \"{key}\", expected a setting of SimGrid; {hint}");
                return Err(prop.error_in("id", message));
            }
            let place = prop.error_in("value", String::new()).place;
            self.builder.setting(key, prop.required("value")?, place);
        }
        Ok(())
    }

    /// Something in a zone.
    fn member(&mut self, element: Element<'a>, zone: u32) -> Result<()> {
        match element.tag() {
            "zone" | "AS" => self.zone(element, zone),
            "cluster" => self.cluster(element, zone),
            "host" => self.host(element, zone),
            "router" => self.router(element, zone),
            "link" => self.link(element),
            "peer" => self.peer(element, zone),
            "route" => self.route(element),
            "zoneRoute" | "ASroute" => self.zone_route(element),
            "bypassRoute" | "bypassZoneRoute" | "bypassASroute" => self.bypass(element),
            // Of no meaning for messages, or read when the zone ends.
            "prop" | "cabinet" | "backbone" | "host_link" | "model_prop" => Ok(()),
            "trace" => self.trace(element),
            "trace_connect" => self.trace_connect(element),
            "include" | "storage" | "storage_type" | "mount" => {
                let message =
                    format!("<{}> was removed from SimGrid's format, expected none; remove it", element.tag());
                Err(element.error(message))
            }
            other => {
                let message = format!(
                    "unknown element <{other}>, expected zone, cluster, host, router, link, peer, cabinet, backbone, \
                     host_link, route, zoneRoute, bypassRoute, bypassZoneRoute or prop; remove it"
                );
                Err(element.error(message))
            }
        }
    }

    fn zone(&mut self, element: Element<'a>, parent: u32) -> Result<()> {
        element.only(&["id", "routing"])?;
        let kinds = [
            ("Full", Some(Routing::Full)),
            ("Floyd", Some(Routing::Shortest(Shortest::Floyd))),
            ("Dijkstra", Some(Routing::Shortest(Shortest::Dijkstra))),
            ("DijkstraCache", Some(Routing::Shortest(Shortest::Dijkstra))),
            ("Vivaldi", Some(Routing::Vivaldi)),
            ("Cluster", Some(Routing::Star)),
            ("None", Some(Routing::Full)),
            ("Wifi", None),
        ];
        element.required("routing")?;
        let Some(routing) = element.choice("routing", &kinds, None)? else {
            return Err(element.error_in("routing", format!("{WIFI}, expected another routing; remove the zone")));
        };
        let of_stars = ["cabinet", "backbone", "host_link"];
        let misplaced = element.children().find(|child| routing != Routing::Star && of_stars.contains(&child.tag()));
        if let Some(child) = misplaced {
            let tag = child.tag();
            return Err(child.error(format!("<{tag}> here, expected it in a zone with routing=\"Cluster\"; move it")));
        }
        let id = element.required("id")?;
        let zone = self.builder.zone(id, routing, parent).map_err(|why| taken(element, &why))?;
        for child in element.children() {
            self.member(child, zone)?;
        }
        match routing {
            Routing::Star => self.star(element, zone),
            Routing::Vivaldi => self.space(element, zone),
            _ => Ok(()),
        }
    }

    fn host(&mut self, element: Element<'a>, zone: u32) -> Result<()> {
        element.only(&[&["id", "speed", "core", "coordinates", "pstate"], &PROFILES[..]].concat())?;
        let state = element.optional("pstate").map_or(Some(0.0), |text| text.trim().parse::<f64>().ok());
        let Some(state) = state.filter(|state| *state >= 0.0) else {
            return Err(
                element.error_in("pstate", "pstate is not a number from 0, expected pstate=\"0\"; correct it".into())
            );
        };
        let (speed, cores) = (element.speed("speed", state as usize)?, element.count("core", 1)?);
        let host = self.builder.host(element.required("id")?, speed, cores, zone);
        let host = host.map_err(|why| taken(element, &why))?;
        self.host_energy(element, state as usize, host.0)?;
        self.host_profiles(element, host)?;
        self.place(element, Point::Host(host))
    }

    fn router(&mut self, element: Element<'a>, zone: u32) -> Result<()> {
        element.only(&["id", "coordinates"])?;
        let router = self.builder.router(element.required("id")?, zone).map_err(|why| taken(element, &why))?;
        self.place(element, router)
    }

    /// A host of a space of distances, and its link.
    fn peer(&mut self, element: Element<'a>, zone: u32) -> Result<()> {
        element.only(&[&["id", "speed", "bw_in", "bw_out", "lat", "coordinates"], &PROFILES[..]].concat())?;
        let id = element.required("id")?;
        let host = self.builder.host(id, element.speed("speed", 0)?, 1, zone).map_err(|why| taken(element, &why))?;
        let (up, down) = (element.bandwidth("bw_out")?, element.bandwidth("bw_in")?);
        let mut add = |suffix: &str, bandwidth| {
            self.new_link(element, format!("link_{id}_{suffix}"), (bandwidth, 0.0), Sharing::Shared)
        };
        let (up, down) = (add("UP", up)?, add("DOWN", down)?);
        self.join(element, Point::Host(host), [&[route::up(up)], &[route::up(down)]])?;
        self.host_profiles(element, host)?;
        self.place(element, Point::Host(host))
    }

    fn link(&mut self, element: Element<'a>) -> Result<()> {
        let profiles = ["bandwidth_file", "latency_file", "state_file"];
        element.only(&[&["id", "bandwidth", "latency", "sharing_policy"], &profiles[..]].concat())?;
        let policies = [
            ("SHARED", Some(Sharing::Shared)),
            ("SPLITDUPLEX", Some(Sharing::SplitDuplex)),
            ("FULLDUPLEX", Some(Sharing::SplitDuplex)),
            ("FATPIPE", Some(Sharing::FatPipe)),
            ("WIFI", None),
        ];
        let Some(sharing) = element.choice("sharing_policy", &policies, Some(Sharing::Shared))? else {
            let message = format!("{WIFI}, expected another sharing policy; remove the link");
            return Err(element.error_in("sharing_policy", message));
        };
        let id = element.required("id")?;
        let values = (element.bandwidth("bandwidth")?, element.latency("latency")?);
        let link = self.new_link(element, id.to_owned(), values, sharing)?;
        if sharing == Sharing::SplitDuplex {
            self.split.insert(id, link);
        }
        self.link_energy(element, link.0)?;
        self.link_profiles(element, link)
    }

    fn new_link(
        &mut self,
        element: Element<'a>,
        name: String,
        (bandwidth_bytes_per_sec, latency_secs): (f64, f64),
        sharing: Sharing,
    ) -> Result<LinkId> {
        let link = Link { name: name.into(), bandwidth_bytes_per_sec, latency_secs, sharing };
        self.builder.link(link).map_err(|why| taken(element, &why))
    }

    fn place(&mut self, element: Element<'a>, point: Point) -> Result<()> {
        if let Some(place) = element.coordinates()? {
            self.places.insert(point, place);
            self.builder.place(point, place);
        }
        Ok(())
    }

    /// The end of a zone of distances: a zone in it is where its router `router_ZONE` is, which is its gateway.
    fn space(&mut self, element: Element<'a>, zone: u32) -> Result<()> {
        for child in element.children().filter(|child| ["zone", "AS", "cluster"].contains(&child.tag())) {
            let id = child.required("id")?;
            let name = format!("router_{id}");
            let gateway = self.builder.point_named(&name);
            let place = gateway.and_then(|gateway| self.places.get(&gateway).copied());
            let (Some(gateway), Some(place), Some(member)) = (gateway, place, self.builder.point_named(id)) else {
                let message = format!(
                    "no router \"{name}\" with coordinates is in the zone \"{id}\", expected it as the zone's gateway; \
                     add <router id=\"{name}\" coordinates=\"0 0 0\"/> to the zone"
                );
                return Err(child.error(message));
            };
            let spoke = self.builder.spoke(member, Some(gateway), [None, None, None]);
            spoke.map_err(|why| child.error(format!("{why}, expected it there; move the router")))?;
            self.builder.place(member, place);
        }
        let is_placed = |element: &Element<'_>| element.optional("coordinates").is_some();
        match element.children().find(|child| ["host", "peer"].contains(&child.tag()) && !is_placed(child)) {
            None => Ok(()),
            Some(host) => {
                let message = format!(
                    "<{}> has no \"coordinates\", expected them in zone {zone} with routing=\"Vivaldi\"; add \
                     coordinates=\"0 0 0\"",
                    host.tag()
                );
                Err(host.error(message))
            }
        }
    }
}

/// The refusal of a name that is taken, with the usual remedy.
fn taken(element: Element<'_>, why: &str) -> PlatformError {
    element.error_in("id", format!("{why}, expected unique names; rename one"))
}
