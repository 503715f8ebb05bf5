//! Simulates a list of flows and executions and prints when each ends: the engine without MPI.
//!
//! `cargo run -p smpi-engine --example flows -- platform.toml list [key:value ...]`, where each line of the list is
//! `start-date source-host destination-host bytes`, or `start-date cpu host flops`.

use smpi_base::SimTime;
use smpi_engine::{Config, Engine, Token};
use smpi_platform::Platform;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, platform, list, settings @ ..] = arguments.as_slice() else {
        return Err("usage: flows platform.toml list [key:value ...]".into());
    };
    let platform = Arc::new(Platform::load(Path::new(platform))?);
    let mut config = Config::default();
    for setting in settings {
        let (key, value) = setting.split_once(':').ok_or("settings are key:value")?;
        if !config.set(key, value)? {
            return Err(format!("the engine has no setting {key}").into());
        }
    }
    let text = std::fs::read_to_string(list)?;
    let lines: Vec<Vec<&str>> = text.lines().map(|l| l.split_whitespace().collect()).collect();
    let host = |name: &str| platform.host_named(name).ok_or_else(|| format!("no host {name}"));
    let mut engine = Engine::new(platform.clone(), config);
    for (index, line) in lines.iter().enumerate() {
        engine.start_timer(SimTime(line[0].parse()?), Token(index as u64));
    }
    let mut ends = vec![0.0; lines.len()];
    let mut done = Vec::new();
    while let Some(now) = engine.advance(&mut done) {
        for token in done.drain(..) {
            let index = token.0 as usize;
            if index >= lines.len() {
                ends[index - lines.len()] = now.0;
                continue;
            }
            let line = &lines[index];
            let then = Token((index + lines.len()) as u64);
            if line[1] == "cpu" {
                engine.start_execution(host(line[2])?, line[3].parse()?, then);
            } else {
                engine.start_flow(host(line[1])?, host(line[2])?, line[3].parse()?, then);
            }
        }
    }
    for end in ends {
        println!("{end:e}");
    }
    Ok(())
}
