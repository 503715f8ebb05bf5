//! The message sequence chart of a trace, as inline SVG: a lane for each rank, time going down, an arrow for each
//! message.
//!
//! The vertical place of an event is its logical time (Lamport): one below the latest event that it depends on. So
//! concurrent events stand side by side, 64 ranks with 500 events each are a chart of some 500 rows instead of 32,000,
//! and every arrow points down. The order in which the explorer happened to run concurrent events is not shown, because
//! it does not matter; the list beside the chart has it.
//!
//! The round of an execution without an end is a band below what comes before it, with a way back beside it.
//!
//! With more than 12 ranks lanes are narrow and events have no labels but tooltips.

mod layout;

use crate::trace::{EventKind, Trace, TraceEvent};
use layout::{GUTTER, Layout, Sent};
use smpi_base::markup::escaped;
use std::fmt::Write;

/// Appends the chart; `id` makes its form controls its own.
pub(crate) fn chart(page: &mut String, trace: &Trace, id: &str) {
    let layout = Layout::of(trace);
    page.push_str("<div class=\"chart\">\n");
    tools(page, &layout, trace, id);
    let (width, height) = (layout.width(), layout.height());
    page.push_str("<div class=\"scroll\">\n");
    let _ = write!(page, "<div class=\"heads\"><svg width=\"{width:.0}\" height=\"26\" viewBox=\"0 0 {width:.0} 26\">");
    for rank in 0..layout.lanes {
        let class = if layout.stuck[rank as usize].is_some() { " class=\"stuck\"" } else { "" };
        let noun = if layout.scale.labels { "rank " } else { "" };
        let _ = write!(page, "<text{class} x=\"{:.0}\" y=\"17\">{noun}{rank}</text>", layout.scale.x(rank));
    }
    let _ = writeln!(
        page,
        "</svg></div>\n<svg width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
         aria-label=\"message sequence chart\">"
    );
    round(page, &layout);
    grid(page, &layout);
    arrows(page, &layout);
    for index in 0..layout.events.len() {
        if layout.rows[index] > 0 {
            mark(page, &layout, index);
        }
    }
    ends(page, &layout);
    let _ = writeln!(page, "</svg>\n<a id=\"{id}-end\"></a></div>\n</div>");
}

/// The legend, the zoom, and what is not shown.
fn tools(page: &mut String, layout: &Layout, trace: &Trace, id: &str) {
    page.push_str("<div class=\"tools\">");
    for (shape, words, _) in legend(layout).iter().filter(|entry| entry.2) {
        let _ = write!(page, "<span><svg width=\"16\" height=\"16\">{shape}</svg>{words}</span>");
    }
    page.push_str("<span class=\"grow\"></span>");
    if layout.height_rows > 20 {
        let _ = write!(page, "<a href=\"#{id}-end\">to the end</a>");
    }
    let _ = write!(
        page,
        "<label><input type=\"radio\" name=\"{id}-zoom\" checked=\"checked\"/> full size</label>\
         <label><input type=\"radio\" name=\"{id}-zoom\" class=\"fit\"/> fit width</label></div>"
    );
    let hidden = trace.events.len() - layout.events.len();
    if hidden > 0 {
        let _ = write!(page, "<p class=\"mode\">The first {hidden} events are not drawn.</p>");
    }
    if trace.ranks > layout.lanes {
        let _ = write!(page, "<p class=\"mode\">Only ranks 0 to {} are drawn.</p>", layout.lanes - 1);
    }
    page.push('\n');
}

/// The signs, what they stand for, and whether there are any.
fn legend(layout: &Layout) -> [(&'static str, &'static str, bool); 10] {
    let has = |wanted: fn(&EventKind) -> bool| layout.events.iter().any(|event| wanted(&event.kind));
    let is_lost = |sent: &Sent| !sent.is_carried;
    // Further rounds may receive what was sent before the first.
    let lost = if layout.round.is_some() { "not received here" } else { "never received" };
    [
        ("<circle class=\"dot\" cx=\"8\" cy=\"8\" r=\"4\"/>", "sent or received", true),
        (
            "<circle class=\"hollow\" cx=\"8\" cy=\"8\" r=\"4\"/>",
            "receive posted",
            has(|kind| matches!(kind, EventKind::Receive { .. })),
        ),
        (
            "<path class=\"choice\" d=\"M8 2L14 8L8 14L2 8Z\"/>",
            "choice (dashed: the other candidates)",
            layout.events.iter().any(TraceEvent::is_choice),
        ),
        ("<path class=\"lost\" d=\"M1 8H15\"/>", lost, layout.unmatched().iter().any(is_lost)),
        (
            "<rect class=\"bar\" x=\"1\" y=\"5\" width=\"14\" height=\"6\" rx=\"3\"/>",
            "collective",
            has(|kind| matches!(kind, EventKind::Collective { .. })),
        ),
        (
            "<rect class=\"blocked\" x=\"3\" y=\"3\" width=\"10\" height=\"10\"/>",
            "blocked",
            layout.stuck.iter().any(Option::is_some),
        ),
        (
            "<path class=\"failed\" d=\"M3 3L13 13M13 3L3 13\"/>",
            "failed",
            has(|kind| matches!(kind, EventKind::Fail { .. })),
        ),
        (
            "<rect class=\"ended\" x=\"4\" y=\"4\" width=\"8\" height=\"8\"/>",
            "ended",
            has(|kind| matches!(kind, EventKind::Exit { .. })),
        ),
        (
            "<path class=\"show\" d=\"M4 14V2H13L10 5L13 8H4\"/>",
            "a proposition changes",
            has(|kind| matches!(kind, EventKind::Show { .. })),
        ),
        (
            "<rect class=\"band\" x=\"1\" y=\"1\" width=\"14\" height=\"14\"/>",
            "again and again, for ever",
            layout.round.is_some(),
        ),
    ]
}

/// Row numbers and lanes.
fn grid(page: &mut String, layout: &Layout) {
    let scale = &layout.scale;
    let step = if scale.labels { 5 } else { 10 };
    for row in (step..layout.height_rows).step_by(step as usize) {
        let y = scale.y(row);
        let _ = write!(page, "<path class=\"row\" d=\"M{GUTTER:.0} {y:.1}H{:.0}\"/>", layout.width());
        let _ = write!(page, "<text class=\"dim\" x=\"4\" y=\"{:.1}\">{row}</text>", y + 4.0);
    }
    for rank in 0..layout.lanes {
        let x = scale.x(rank);
        let last = scale.y(layout.last_rows[rank as usize].max(1));
        let _ = write!(page, "<path class=\"lane\" d=\"M{x:.1} 0V{last:.1}\"/>");
        if layout.stuck[rank as usize].is_some() {
            let _ = write!(page, "<path class=\"stuck-lane\" d=\"M{x:.1} {last:.1}V{:.1}\"/>", layout.bottom());
        }
    }
    page.push('\n');
}

/// The events that come again and again: a band behind them, and beside it the way back.
fn round(page: &mut String, layout: &Layout) {
    let Some((left, top, right, bottom)) = layout.band() else { return };
    let (width, height) = (right - left, bottom - top);
    let (out, first, last) = (right + 14.0, top + 14.0, bottom - 10.0);
    let _ = write!(
        page,
        "<rect class=\"band\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"6\"/>\
         <text class=\"again\" x=\"{:.1}\" y=\"{:.1}\">again and again</text>\
         <path class=\"back\" d=\"M{right:.1} {last:.1}H{:.1}Q{out:.1} {last:.1} {out:.1} {:.1}V{:.1}Q{out:.1} {first:.1} {:.1} {first:.1}\
         H{:.1}m7 -4l-7 4l7 4\"/>",
        left + 8.0,
        top + 15.0,
        out - 8.0,
        last - 8.0,
        first + 8.0,
        out - 8.0,
        right + 2.0
    );
    page.push('\n');
}

/// Messages, and those that could have come instead; below everything else.
fn arrows(page: &mut String, layout: &Layout) {
    for (event, row) in layout.events.iter().zip(&layout.rows).filter(|(_, row)| **row > 0) {
        let EventKind::Match { message, from, candidates } = &event.kind else { continue };
        let to = (event.place.rank, *row);
        for candidate in candidates.iter().filter(|candidate| *candidate != message) {
            // A candidate may have been sent after this event's row by a rank that does not depend on it.
            if let Some(send) = layout.sends.get(candidate) {
                arrow(page, layout, (send.rank, send.row), to, "ghost");
            }
        }
        // The send may be among the events that are not drawn.
        let send = layout.sends.get(message).map_or((*from, row.saturating_sub(1)), |send| (send.rank, send.row));
        if send.0 < layout.lanes {
            arrow(page, layout, send, to, if event.is_choice() { "chosen" } else { "message" });
        }
    }
    for sent in layout.unmatched() {
        match layout.band().filter(|_| sent.is_carried) {
            Some((_, _, _, bottom)) => carried(page, layout, sent, bottom),
            None => stub(page, layout, sent),
        }
    }
    page.push('\n');
}

fn arrow(page: &mut String, layout: &Layout, from: (u32, u32), to: (u32, u32), class: &str) {
    let scale = &layout.scale;
    let (x1, y1, x2, y2) = (scale.x(from.0), scale.y(from.1), scale.x(to.0), scale.y(to.1));
    if from.0 == to.0 {
        let bulge = x1 + scale.lane * 0.4;
        let _ = write!(
            page,
            "<path class=\"{class}\" d=\"M{x1:.1} {y1:.1}C{bulge:.1} {y1:.1} {bulge:.1} {y2:.1} {x2:.1} {y2:.1}\"/>"
        );
        return;
    }
    // The head stops short of the mark. Its sides are the direction turned by ±25° and scaled.
    let length = (x2 - x1).hypot(y2 - y1);
    let (dx, dy) = ((x2 - x1) / length, (y2 - y1) / length);
    let (tip_x, tip_y) = (x2 - 6.0 * dx, y2 - 6.0 * dy);
    let head = if scale.labels { 9.0 } else { 6.0 };
    let side = |turn: f64| {
        let (sin, cos) = turn.to_radians().sin_cos();
        (tip_x - head * (dx * cos - dy * sin), tip_y - head * (dx * sin + dy * cos))
    };
    let ((ax, ay), (bx, by)) = (side(25.0), side(-25.0));
    let _ = write!(
        page,
        "<path class=\"{class}\" d=\"M{x1:.1} {y1:.1}L{tip_x:.1} {tip_y:.1}M{ax:.1} {ay:.1}L{tip_x:.1} {tip_y:.1}L{bx:.1} {by:.1}\"/>"
    );
}

/// An arrow to the end of the round: the message is received in the next one, or later.
fn carried(page: &mut String, layout: &Layout, sent: Sent, bottom: f64) {
    let scale = &layout.scale;
    let (x, y) = (scale.x(sent.rank), scale.y(sent.row));
    // It cannot be further down than it is across: else it looks like a lane.
    let across = (scale.x(sent.to.min(layout.lanes)) - x).clamp(-0.6 * scale.lane, 0.6 * scale.lane);
    let (x2, side) = (x + across, 5.0_f64.copysign(across));
    let _ = write!(
        page,
        "<path class=\"message\" d=\"M{x:.1} {y:.1}L{x2:.1} {bottom:.1}m-{:.1} -6l{:.1} 6l{:.1} -8\">\
         <title>received in one of the next rounds</title></path>",
        side.abs(),
        side.abs(),
        side * 0.2
    );
}

/// The beginning of an arrow towards the receiver: nobody has taken the message.
fn stub(page: &mut String, layout: &Layout, sent: Sent) {
    let scale = &layout.scale;
    let (x, y) = (scale.x(sent.rank), scale.y(sent.row));
    let towards = if sent.to < sent.rank { -1.0 } else { 1.0 };
    let _ = write!(
        page,
        "<path class=\"lost\" d=\"M{x:.1} {y:.1}l{:.1} {:.1}\"/>",
        towards * scale.lane * 0.4,
        scale.row * 0.4
    );
}

/// The sign of an event, with a tooltip and, where there is room, a label.
fn mark(page: &mut String, layout: &Layout, index: usize) {
    let (event, row) = (&layout.events[index], layout.rows[index]);
    let (x, y) = (layout.scale.x(event.place.rank), layout.scale.y(row));
    let r = if layout.scale.labels { 4.5 } else { 3.2 };
    page.push_str("<g class=\"mark\">");
    let _ = write!(page, "<title>rank {}: {}", event.place.agent(), escaped(&event.words()));
    let source = event.place.source();
    if !source.is_empty() {
        let _ = write!(page, " — {}", escaped(&source));
    }
    page.push_str("</title>");
    let _ = match &event.kind {
        _ if event.is_choice() => {
            let r = r * 1.6;
            let (left, right, top, low) = (x - r, x + r, y - r, y + r);
            write!(
                page,
                "<path class=\"choice\" d=\"M{x:.1} {top:.1}L{right:.1} {y:.1}L{x:.1} {low:.1}L{left:.1} {y:.1}Z\"/>"
            )
        }
        EventKind::Collective { members } => {
            bar(page, layout, members, row);
            Ok(())
        }
        EventKind::Receive { .. } => write!(page, "<circle class=\"hollow\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r}\"/>"),
        EventKind::Send { .. } | EventKind::Match { .. } => {
            write!(page, "<circle class=\"dot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r}\"/>")
        }
        EventKind::Wait { .. } if layout.stuck[event.place.rank as usize] == Some(index) => {
            square(page, "blocked", x, y, r * 1.1)
        }
        EventKind::Fail { .. } => {
            let (left, right, top, low) = (x - r, x + r, y - r, y + r);
            write!(
                page,
                "<path class=\"failed\" d=\"M{left:.1} {top:.1}L{right:.1} {low:.1}M{right:.1} {top:.1}L{left:.1} {low:.1}\"/>"
            )
        }
        EventKind::Show { .. } => {
            write!(page, "<path class=\"show\" d=\"M{x:.1} {:.1}v-12h9l-3 3l3 3h-9\"/>", y + 5.0)
        }
        EventKind::Exit { .. } => square(page, "ended", x, y, r * 0.8),
        _ => write!(page, "<circle class=\"local\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\"/>", r * 0.7),
    };
    if layout.scale.labels {
        label(page, layout, event, row);
    }
    page.push_str("</g>\n");
}

fn square(page: &mut String, class: &str, x: f64, y: f64, half: f64) -> std::fmt::Result {
    let side = 2.0 * half;
    write!(
        page,
        "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{side:.1}\" height=\"{side:.1}\"/>",
        x - half,
        y - half
    )
}

fn bar(page: &mut String, layout: &Layout, members: &[u32], row: u32) {
    let scale = &layout.scale;
    let drawn = || members.iter().filter(|rank| **rank < layout.lanes).map(|rank| scale.x(*rank));
    let (left, right) = (drawn().fold(f64::MAX, f64::min), drawn().fold(0.0, f64::max));
    let (y, half) = (scale.y(row), if scale.labels { 5.0 } else { 3.5 });
    let _ = write!(
        page,
        "<rect class=\"bar\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"{half}\"/>",
        left - 2.0 * half,
        y - half,
        right - left + 4.0 * half,
        2.0 * half
    );
    for x in drawn() {
        let _ = write!(page, "<circle class=\"member\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\"/>");
    }
}

fn label(page: &mut String, layout: &Layout, event: &TraceEvent, row: u32) {
    let call = event.place.call.strip_prefix("MPI_").unwrap_or(&event.place.call);
    let (what, lane) = match &event.kind {
        EventKind::Send { to, .. } => (format!("{call} → {to}"), event.place.rank),
        EventKind::Receive { from: Some(from) } => (format!("{call} ← {from}"), event.place.rank),
        EventKind::Receive { from: None } => (format!("{call} ← any"), event.place.rank),
        EventKind::Match { from, .. } => (format!("{call} ⇐ {from}"), event.place.rank),
        // At the left end of the bar, where it is not on the way of the members' arrows.
        EventKind::Collective { members } => (call.to_string(), members.first().copied().unwrap_or(event.place.rank)),
        EventKind::Choice { outcome, .. } => (format!("{call} {outcome}"), event.place.rank),
        EventKind::Show { changed } => (changed.clone(), event.place.rank),
        EventKind::Exit { code } => (format!("exit {code}"), event.place.rank),
        EventKind::Fail { detail } => (detail.clone(), event.place.rank),
        EventKind::Wait { .. } | EventKind::Local => (call.to_string(), event.place.rank),
    };
    let line = event.place.line.map(|line| format!(":{line}")).unwrap_or_default();
    let room = layout.scale.chars.saturating_sub(line.len() + 1);
    let (right, down) = label_offset(layout, event);
    let (x, y) = (layout.scale.x(lane) + right, layout.scale.y(row) + down);
    let _ = write!(
        page,
        "<text class=\"label\" x=\"{x:.1}\" y=\"{y:.1}\">{} <tspan class=\"dim\">{line}</tspan></text>",
        escaped(&clipped(&what, room))
    );
}

/// Where a label is, so that no arrow goes through it: beside its mark, above an arrow that leaves to the right (and
/// goes down), or below one that comes from the right (and from above).
fn label_offset(layout: &Layout, event: &TraceEvent) -> (f64, f64) {
    let rank = event.place.rank;
    match &event.kind {
        EventKind::Collective { .. } => (16.0, -8.0),
        EventKind::Show { .. } => (14.0, 4.0),
        EventKind::Send { to, .. } if *to > rank => (8.0, -5.0),
        EventKind::Match { from, candidates, .. } => {
            let sender = |message: &u64| layout.sends.get(message).map_or(0, |sent| sent.rank);
            let rightmost = candidates.iter().map(sender).max().unwrap_or(0).max(*from);
            if rightmost > rank { (8.0, 15.0) } else { (11.0, 4.0) }
        }
        _ => (11.0, 4.0),
    }
}

/// At the bottom: the calls that wait, and for whom.
fn ends(page: &mut String, layout: &Layout) {
    let scale = &layout.scale;
    for index in layout.stuck.iter().flatten() {
        let event = &layout.events[*index];
        let (x, y) = (scale.x(event.place.rank), layout.bottom());
        let words = escaped(&event.words());
        let _ = write!(page, "<g class=\"mark\"><title>rank {}: {words}</title>", event.place.agent());
        let _ = write!(
            page,
            "<circle class=\"blocked\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{}\"/>",
            if scale.labels { 5 } else { 3 }
        );
        if scale.labels {
            let call = escaped(&clipped(&event.place.call, scale.chars));
            let place = event.place.source();
            let place = escaped(&clipped(place.rsplit('/').next().unwrap_or(&place), scale.chars));
            let _ = write!(page, "<text class=\"why\" x=\"{x:.1}\" y=\"{:.1}\">{call}</text>", y + 20.0);
            let _ = write!(page, "<text class=\"why\" x=\"{x:.1}\" y=\"{:.1}\">{place}</text>", y + 34.0);
        }
        page.push_str("</g>\n");
    }
    for (from, to) in layout.arcs() {
        // Leaves on the right of its lane and arrives on the left, so that two opposite waits are two arcs.
        let (x1, x2, y) = (scale.x(from) + 4.0, scale.x(to) - 4.0, layout.arcs_top());
        let low = y + layout.arc_depth(from, to);
        let _ = writeln!(
            page,
            "<path class=\"waits\" d=\"M{x1:.1} {y:.1}C{x1:.1} {low:.1} {x2:.1} {low:.1} {x2:.1} {y:.1}m-3.5 7l3.5 -7l3.5 7\">\
             <title>rank {from} waits for rank {to}</title></path>"
        );
    }
}

fn clipped(text: &str, chars: usize) -> String {
    if text.chars().count() <= chars {
        return text.to_string();
    }
    text.chars().take(chars.saturating_sub(1)).chain(['…']).collect()
}
