//! Links that change over time, and the flows that something changes for while they are under way.
//!
//! A change touches flows. When the shares are next computed, each of them gets its bound and penalty anew and goes on
//! with what remains of it. A link that is off carries nothing: messages wait, and go on when all links of their way
//! are on again (a transport that sends again until it succeeds).

use smpi_base::HostId;
use smpi_base::map::{Map, Set};
use smpi_platform::{Channel, Link, LinkId, Platform, Route};

/// Sender and receiver of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ends {
    pub src: HostId,
    pub dst: HostId,
}

/// The flows under way, and the links that differ from their description.
#[derive(Debug, Default)]
pub(crate) struct Changing {
    /// Flows by slot.
    flows: Vec<Option<Ends>>,
    /// Flows that have to be looked at, in the order in which they were touched. Some may have ended.
    touched: Vec<u32>,
    is_touched: Set<u32>,
    bandwidths: Map<LinkId, f64>,
    latencies: Map<LinkId, f64>,
    off: Set<LinkId>,
    /// Flows that wait for links, with what remains of them, in the order in which they stopped.
    waiting: Vec<(u32, f64)>,
}

impl Changing {
    pub fn begin(&mut self, slot: u32, ends: Ends) {
        if self.flows.len() <= slot as usize {
            self.flows.resize(slot as usize + 1, None);
        }
        self.flows[slot as usize] = Some(ends);
    }

    /// The flow of a slot has ended; its ends, if there is one.
    pub fn end(&mut self, slot: u32) -> Option<Ends> {
        self.waiting.retain(|waiting| waiting.0 != slot);
        self.flows.get_mut(slot as usize).and_then(Option::take)
    }

    /// Something has changed for a flow.
    pub fn touch(&mut self, slot: u32) {
        if self.is_touched.insert(slot) {
            self.touched.push(slot);
        }
    }

    pub fn has_touched(&self) -> bool {
        !self.touched.is_empty()
    }

    /// The flows that were touched since somebody asked last, as far as they are still there.
    pub fn take_touched(&mut self) -> Vec<(u32, Ends)> {
        self.is_touched.clear();
        let flows = &self.flows;
        self.touched.drain(..).filter_map(|slot| Some((slot, (*flows.get(slot as usize)?)?))).collect()
    }

    /// The flows on whose way a link lies, by slot.
    pub fn crossing(&self, link: LinkId, platform: &Platform) -> Vec<u32> {
        (0..self.flows.len() as u32).filter(|slot| self.is_on_way(*slot, platform, |on_way| on_way == link)).collect()
    }

    pub fn touch_crossing(&mut self, link: LinkId, platform: &Platform) {
        self.crossing(link, platform).into_iter().for_each(|slot| self.touch(slot));
    }

    pub fn set_bandwidth(&mut self, link: LinkId, bytes_per_sec: f64) {
        self.bandwidths.insert(link, bytes_per_sec);
    }

    pub fn set_latency(&mut self, link: LinkId, secs: f64) {
        self.latencies.insert(link, secs);
    }

    pub fn turn_off(&mut self, link: LinkId) {
        self.off.insert(link);
    }

    /// A link is on again; the flows that go on, with what remains of them.
    pub fn turn_on(&mut self, link: LinkId, platform: &Platform) -> Vec<(u32, f64)> {
        self.off.remove(&link);
        let (waiting, on): (Vec<_>, Vec<_>) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|(slot, _)| self.is_on_way(*slot, platform, |link| self.off.contains(&link)));
        self.waiting = waiting;
        on
    }

    /// A flow stops on its way.
    pub fn wait(&mut self, slot: u32, work: f64) {
        self.waiting.push((slot, work));
    }

    /// Whether a flow that begins its transfer has to wait; then it does.
    pub fn waits(&mut self, slot: u32, work: f64, platform: &Platform) -> bool {
        if self.off.is_empty() {
            return false;
        }
        let is_blocked = self.is_on_way(slot, platform, |link| self.off.contains(&link));
        if is_blocked {
            self.wait(slot, work);
        }
        is_blocked
    }

    /// Whether a flow waits for this link.
    pub fn is_awaited(&self, link: LinkId, platform: &Platform) -> bool {
        let waits = |slot: u32| self.is_on_way(slot, platform, |on_way| on_way == link);
        self.off.contains(&link) && self.waiting.iter().any(|(slot, _)| waits(*slot))
    }

    /// Whether a link of this kind lies on the way of a flow.
    fn is_on_way(&self, slot: u32, platform: &Platform, of_kind: impl Fn(LinkId) -> bool) -> bool {
        let Some(ends) = self.flows[slot as usize] else { return false };
        let mut way = Route::default();
        platform.route(ends.src, ends.dst, &mut way);
        way.channels.iter().any(|channel| of_kind(channel.link()))
    }

    /// The bandwidth of a link at present.
    pub fn bandwidth(&self, link: LinkId, links: &[Link]) -> f64 {
        self.bandwidths.get(&link).copied().unwrap_or(links[link.index()].bandwidth_bytes_per_sec)
    }

    /// By how much a way takes longer than described.
    pub fn added_latency(&self, way: &[Channel], links: &[Link]) -> f64 {
        if self.latencies.is_empty() {
            return 0.0;
        }
        let added = |channel: &Channel| {
            let link = channel.link();
            self.latencies.get(&link).map_or(0.0, |secs| secs - links[link.index()].latency_secs)
        };
        way.iter().map(added).sum()
    }
}
