//! SimGrid's deployment files: which actor runs on which host. Here each actor is a rank.

use super::document;
use super::element::{Element, Result};
use super::text;

/// The hosts of the ranks in their order, each with its line in the file. An actor's property `rank`, if all have one,
/// is its rank; otherwise ranks are numbered in the order of the file. What actors execute is said by smpirun's
/// options.
///
/// # Errors
/// The place and what was expected.
pub fn deployment(file: &str, text: &str) -> Result<Vec<(String, u32)>> {
    let text = text::cleaned(file, text)?;
    let document = document(file, &text)?;
    let root = Element { file, node: document.root_element() };
    let mut actors = Vec::new();
    for actor in root.children().filter(|child| ["actor", "process"].contains(&child.tag())) {
        actor.only(&["host", "function", "start_time", "kill_time", "on_failure"])?;
        let at_once = |key: &str| actor.optional(key).is_none_or(|time| time.parse().is_ok_and(|t: f64| t <= 0.0));
        if let Some(key) = ["start_time", "kill_time"].into_iter().find(|key| !at_once(key)) {
            let message = format!("{key}: all ranks begin together and end by themselves, expected none; remove it");
            return Err(actor.error_in(key, message));
        }
        let place = actor.error(String::new()).place.map_or(0, |(line, _)| line as u32);
        let rank = actor.children().find(|child| child.tag() == "prop" && child.optional("id") == Some("rank"));
        let rank = match rank {
            None => None,
            Some(prop) => {
                let value = prop.required("value")?;
                let message = || format!("rank \"{value}\" is not a number, expected one from 0; correct it");
                Some(value.parse::<u32>().map_err(|_| prop.error_in("value", message()))?)
            }
        };
        actors.push((rank, actor.required("host")?.to_owned(), place));
    }
    if actors.is_empty() {
        let message =
            "no actor in this deployment, expected <actor host=\"...\" function=\"...\"/>; add one for each rank";
        return Err(root.error(message.to_owned()));
    }
    if actors.iter().all(|(rank, _, _)| rank.is_some()) {
        actors.sort_by_key(|(rank, _, _)| *rank);
    }
    Ok(actors.into_iter().map(|(_, host, line)| (host, line)).collect())
}
