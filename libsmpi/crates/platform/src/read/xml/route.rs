//! `<route>`, `<zoneRoute>`, `<bypassRoute>`, `<bypassZoneRoute>`, and the links in them.

use super::Reader;
use super::element::{Element, Result};
use crate::build::RouteLink;
use crate::model::{Direction, LinkId, Point, Sharing};
use smpi_base::words::nearest;

/// A link on a route, and how the way back crosses it.
#[derive(Clone, Copy)]
struct Hop {
    forth: RouteLink,
    back: RouteLink,
}

/// A link in its first direction.
pub(super) fn up(link: LinkId) -> RouteLink {
    RouteLink { link, direction: Direction::Up }
}

impl<'a> Reader<'a> {
    pub(super) fn route(&mut self, element: Element<'a>) -> Result<()> {
        element.only(&["src", "dst", "symmetrical"])?;
        let (src, dst) = (self.point(element, "src")?, self.point(element, "dst")?);
        if let Some(key) = [("src", src), ("dst", dst)].iter().find(|(_, p)| matches!(p, Point::Zone(_))) {
            let message = format!("{} names a zone, expected a host or router; write <zoneRoute> for zones", key.0);
            return Err(element.error_in(key.0, message));
        }
        self.enter(element, (src, dst), (None, None))
    }

    pub(super) fn zone_route(&mut self, element: Element<'a>) -> Result<()> {
        element.only(&["src", "dst", "gw_src", "gw_dst", "symmetrical"])?;
        let ends = (self.point(element, "src")?, self.point(element, "dst")?);
        let gateways = (self.point(element, "gw_src")?, self.point(element, "gw_dst")?);
        self.enter(element, ends, (Some(gateways.0), Some(gateways.1)))
    }

    pub(super) fn bypass(&mut self, element: Element<'a>) -> Result<()> {
        element.only(&["src", "dst", "gw_src", "gw_dst"])?;
        let ends = (self.point(element, "src")?, self.point(element, "dst")?);
        let gateway = |key: &str| element.optional(key).map(|_| self.point(element, key)).transpose();
        let gateways = (gateway("gw_src")?, gateway("gw_dst")?);
        let links: Vec<RouteLink> = self.hops(element)?.iter().map(|hop| hop.forth).collect();
        self.builder.bypass(ends, gateways, &links).map_err(|why| wrong(element, &why))
    }

    fn enter(
        &mut self,
        element: Element<'a>,
        (src, dst): (Point, Point),
        gateways: (Option<Point>, Option<Point>),
    ) -> Result<()> {
        let hops = self.hops(element)?;
        let symmetric = element.choice("symmetrical", &[("YES", true), ("NO", false)], true)?;
        let forth: Vec<RouteLink> = hops.iter().map(|hop| hop.forth).collect();
        let refused = |why: String| wrong(element, &why);
        if src == dst {
            return self.builder.own_way(src, &forth).map_err(refused);
        }
        self.builder.route((src, dst), gateways, &forth, false).map_err(refused)?;
        if symmetric {
            let back: Vec<RouteLink> = hops.iter().rev().map(|hop| hop.back).collect();
            self.builder.route((dst, src), (gateways.1, gateways.0), &back, false).map_err(refused)?;
        }
        Ok(())
    }

    /// The host, router or zone that an attribute names.
    pub(super) fn point(&self, element: Element<'a>, key: &str) -> Result<Point> {
        let name = element.required(key)?;
        self.builder.point_named(name).ok_or_else(|| {
            let hint = match nearest(name, self.builder.point_names().into_iter()) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => "describe it before the route".to_owned(),
            };
            let message = format!("no host, router or zone is named \"{name}\", expected a name of this file; {hint}");
            element.error_in(key, message)
        })
    }

    fn hops(&self, element: Element<'a>) -> Result<Vec<Hop>> {
        element.children().map(|child| self.hop(child)).collect()
    }

    fn hop(&self, element: Element<'a>) -> Result<Hop> {
        if element.tag() != "link_ctn" {
            let message = format!("<{}> in a route, expected <link_ctn id=\"...\"/>; remove it", element.tag());
            return Err(element.error(message));
        }
        element.only(&["id", "direction"])?;
        let directions = [("NONE", None), ("UP", Some(Direction::Up)), ("DOWN", Some(Direction::Down))];
        let direction = element.choice("direction", &directions, None)?;
        let name = element.required("id")?;
        if let Some(half) = self.half(name).filter(|_| direction.is_none()) {
            return Ok(Hop { forth: half, back: half });
        }
        let Some(link) = self.builder.link_named(name) else {
            let hint = match nearest(name, self.builder.link_names().into_iter()) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => "describe it before the route".to_owned(),
            };
            let message = format!("no link is named \"{name}\", expected a link of this file; {hint}");
            return Err(element.error_in("id", message));
        };
        let is_split = self.builder.sharing(link) == Sharing::SplitDuplex;
        match direction {
            None if is_split => {
                let message =
                    format!("the link \"{name}\" has two directions, expected one; add direction=\"UP\" or \"DOWN\"");
                Err(element.error(message))
            }
            Some(_) if !is_split => {
                let message = format!("the link \"{name}\" has no directions, expected none; remove the attribute");
                Err(element.error_in("direction", message))
            }
            _ => {
                let forth = RouteLink { link, direction: direction.unwrap_or(Direction::Up) };
                Ok(Hop { forth, back: forth.reversed() })
            }
        }
    }

    /// One direction of a link that has two, by its own name: `link_UP`. A symmetric route crosses it both ways.
    pub(super) fn half(&self, name: &str) -> Option<RouteLink> {
        let half = |suffix, direction| {
            let link = *self.split.get(name.strip_suffix(suffix)?)?;
            Some(RouteLink { link, direction })
        };
        half("_UP", Direction::Up).or_else(|| half("_DOWN", Direction::Down))
    }
}

fn wrong(element: Element<'_>, why: &str) -> crate::error::PlatformError {
    element.error(format!("{why}, expected one route per pair of members of a zone; correct or remove this one"))
}
