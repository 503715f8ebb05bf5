//! `smpirun scale`: two traces of a program with few ranks become one with many (`smpi_scaling` says how).

use clap::Parser;
use smpi_scaling::grid::Grid;
use smpi_scaling::{Request, scale};

use crate::apart::Files;
use crate::failure::{Failure, of_clap};

/// From two traces of a regular program, of fewer and of more ranks, makes the trace of a run with still more ranks.
#[derive(Parser, Debug)]
#[command(name = "smpirun scale", override_usage = "smpirun scale -n N [--grid AxB,CxD,ExF] [-o FILE] SMALL LARGE")]
struct Words {
    /// Ranks of the result (-np is the same)
    #[arg(short = 'n', long = "np", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    ranks: u32,
    /// Grids of the ranks of SMALL, of LARGE and of the result; the first dimension runs fastest
    #[arg(long, value_name = "AxB,CxD,ExF")]
    grid: Option<String>,
    /// The file that will name the traces of all ranks
    #[arg(short, long, value_name = "FILE", default_value = "scaled.txt")]
    output: String,
    /// The trace of fewer ranks, as -trace-ti writes it
    small: String,
    /// The trace of more ranks
    large: String,
}

/// The answer, if the words after `smpirun` ask for one.
pub fn answer(words: &[String]) -> Option<Result<String, Failure>> {
    let parts: Vec<&str> = words.iter().map(String::as_str).collect();
    match &parts[..] {
        ["scale"] => Some(parse(&["scale".to_string(), "--help".to_string()])),
        ["scale", ..] => Some(parse(words)),
        _ => None,
    }
}

fn parse(words: &[String]) -> Result<String, Failure> {
    let words = words.iter().map(|word| if word == "-np" { "--np" } else { word });
    let words = match Words::try_parse_from(words) {
        Ok(words) => words,
        Err(error) if !error.use_stderr() => return Ok(error.to_string()),
        Err(error) => return Err(of_clap(&error, "smpirun scale --help")),
    };
    let Words { ranks, grid, output, small, large } = words;
    let grids = grid.map(|grid| grids(&grid, ranks)).transpose().map_err(Failure::Refused)?;
    check_outputs(&output, [&small, &large])?;
    scale(&Request { small, large, ranks, grids, output }).map_err(Failure::Refused)
}

/// Refuses what would be written over one of the traces.
fn check_outputs(output: &str, traces: [&String; 2]) -> Result<(), Failure> {
    let mut files = Files::default();
    for (name, trace) in ["SMALL", "LARGE"].into_iter().zip(traces) {
        files.reads_trace(name, trace);
    }
    files.writes("-o", output);
    files.writes_beside_trace("-o", output);
    files.check()
}

fn grids(text: &str, ranks: u32) -> Result<[Grid; 3], String> {
    let grids: Vec<Grid> = text.split(',').map(Grid::parse).collect::<Result<_, _>>()?;
    let grids = <[Grid; 3]>::try_from(grids).map_err(|grids| {
        format!("--grid: {} grids, expected three: of SMALL, of LARGE and of the result", grids.len())
    })?;
    let [first, _, last] = &grids;
    if grids.iter().any(|grid| grid.extents.len() != first.extents.len()) || last.ranks() != ranks {
        return Err(format!(
            "--grid: \"{text}\", expected three grids of the same number of dimensions, the last one of {ranks} ranks"
        ));
    }
    Ok(grids)
}
