//! Schedules: executions as the choices that were made in them, as a text that replays, in words, and as a chart.

pub(crate) mod chart;
pub(crate) mod in_words;
pub(crate) mod token;
