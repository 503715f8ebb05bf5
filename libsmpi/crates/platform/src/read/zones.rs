//! `[[zone]]`, `[[router]]`, `[[spoke]]`, and the keys that say in which zone something is.

use super::section::Section;
use super::{Reader, Result, renamed};
use crate::build::Routing;
use crate::graph::Shortest;
use crate::model::Point;
use crate::zones::ROOT;
use smpi_base::words::nearest;

const ROUTINGS: [(&str, Routing); 5] = [
    ("full", Routing::Full),
    ("dijkstra", Routing::Shortest(Shortest::Dijkstra)),
    ("floyd", Routing::Shortest(Shortest::Floyd)),
    ("star", Routing::Star),
    ("vivaldi", Routing::Vivaldi),
];

impl<'a> Reader<'a> {
    pub(super) fn zone(&mut self, section: &Section<'a>) -> Result<()> {
        section.only(&["name", "routing", "in", "gateway", "place"])?;
        let (routing, parent) = (self.routing(section)?, self.zone_of(section)?);
        let id = self.builder.zone(section.name()?, routing, parent).map_err(|m| renamed(section, m))?;
        self.place(section, Point::Zone(id))
    }

    pub(super) fn router(&mut self, section: &Section<'a>) -> Result<()> {
        section.only(&["name", "in", "place"])?;
        let zone = self.zone_of(section)?;
        let router = self.builder.router(section.name()?, zone).map_err(|m| renamed(section, m))?;
        self.place(section, router)
    }

    pub(super) fn spoke(&mut self, section: &Section<'a>) -> Result<()> {
        section.only(&["of", "up", "down", "own", "gateway"])?;
        let member = self.point(section.text("of")?)?;
        let gateway = section.optional_text("gateway")?.map(|name| self.point(name)).transpose()?;
        let mut ways = [None, None, None];
        for (way, key) in ways.iter_mut().zip(["up", "down", "own"]) {
            *way = section.optional_texts(key)?.map(|names| self.links(names)).transpose()?;
        }
        let [up, down, own] = &ways;
        let back: Option<Vec<_>> = up.as_ref().map(|up| up.iter().rev().map(|link| link.reversed()).collect());
        let ways = [up.as_deref(), down.as_deref().or(back.as_deref()), own.as_deref()];
        self.builder.spoke(member, gateway, ways).map_err(|m| {
            section.error(format!("{m}, expected a member of a zone with routing = \"star\"; correct \"of\""))
        })
    }

    /// The key `routing`.
    pub(super) fn routing(&self, section: &Section<'a>) -> Result<Routing> {
        let Some((name, span)) = section.optional_text("routing")? else { return Ok(Routing::Full) };
        if let Some((_, routing)) = ROUTINGS.iter().find(|(known, _)| *known == name) {
            return Ok(*routing);
        }
        let near = nearest(name, ROUTINGS.iter().map(|(known, _)| *known));
        let hint = near.map_or("choose one of them".to_owned(), |n| format!("did you mean \"{n}\"?"));
        let expected = "\"full\", \"dijkstra\", \"floyd\", \"star\" or \"vivaldi\"";
        Err(self.source.error(span, format!("routing = \"{name}\" does not exist, expected {expected}; {hint}")))
    }

    /// The key `in`: a zone that was described before.
    pub(super) fn zone_of(&self, section: &Section<'a>) -> Result<u32> {
        let Some((name, span)) = section.optional_text("in")? else { return Ok(ROOT) };
        match self.builder.point_named(name) {
            Some(Point::Zone(zone)) if self.builder.is_open(zone) => Ok(zone),
            _ => {
                let message =
                    format!("no [[zone]] above is named \"{name}\", expected one of them; write the zone before this");
                Err(self.source.error(span, message))
            }
        }
    }

    /// The key `gateway` of zones and clusters, when all their members are known.
    pub(super) fn gateway(&mut self, section: &Section<'a>) -> Result<()> {
        let Some((name, span)) = section.optional_text("gateway")? else { return Ok(()) };
        let gateway = self.point((name, span.clone()))?;
        let Some(Point::Zone(zone)) = self.builder.point_named(section.name()?) else { return Ok(()) };
        self.builder.gateway(zone, gateway).map_err(|m| {
            self.source.error(span, format!("{m}, expected a host or router of this zone; name another one"))
        })
    }

    /// The key `place`.
    pub(super) fn place(&mut self, section: &Section<'a>, member: Point) -> Result<()> {
        match section.place("place")? {
            Some(place) => self.builder.place(member, place),
            None if self.builder.needs_place(member) => {
                let what = "expected place = [25.5, 9.4, 1.4] in a zone with routing = \"vivaldi\"";
                return Err(section.error(format!("{} has no \"place\", {what}; add the line", section.title)));
            }
            None => {}
        }
        Ok(())
    }
}
