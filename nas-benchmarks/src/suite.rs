//! What is known about the nine benchmarks: where ours are, their classes, and the numbers of ranks they take.
//!
//! It knows nothing of files that the user built. Sources: NASA reports NAS-95-020 and NAS-02-007; sizes of the classes
//! as published with NPB 3.4.

use std::fmt;

/// A benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Benchmark {
    /// Block tridiagonal systems.
    Bt,
    /// Conjugate gradient.
    Cg,
    /// Data traffic through a graph.
    Dt,
    /// Embarrassingly parallel.
    Ep,
    /// Fourier transform.
    Ft,
    /// Integer sort.
    Is,
    /// Relaxation with lower and upper triangles.
    Lu,
    /// Multigrid.
    Mg,
    /// Scalar pentadiagonal systems.
    Sp,
}

use Benchmark::{Bt, Cg, Dt, Ep, Ft, Is, Lu, Mg, Sp};

/// All benchmarks, in the order of the table.
pub const ALL: [Benchmark; 9] = [Bt, Cg, Dt, Ep, Ft, Is, Lu, Mg, Sp];

/// The graphs of DT.
pub const GRAPHS: [&str; 3] = ["BH", "WH", "SH"];

/// All classes of NPB, the smallest first. The sizes below are in this order.
pub const CLASSES: [char; 8] = ['S', 'W', 'A', 'B', 'C', 'D', 'E', 'F'];

impl fmt::Display for Benchmark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Benchmark {
    /// Its name in lower case, which is also the folder of our source.
    pub fn name(self) -> &'static str {
        match self {
            Bt => "bt",
            Cg => "cg",
            Dt => "dt",
            Ep => "ep",
            Ft => "ft",
            Is => "is",
            Lu => "lu",
            Mg => "mg",
            Sp => "sp",
        }
    }

    /// The benchmark of this name.
    pub fn named(name: &str) -> Option<Benchmark> {
        ALL.into_iter().find(|benchmark| benchmark.name() == name)
    }

    /// Whether our source is Fortran; otherwise it is C.
    pub fn is_fortran(self) -> bool {
        matches!(self, Bt | Lu | Sp)
    }

    /// Our source, below `nas-benchmarks`.
    pub fn source(self) -> String {
        format!("{0}/{0}.{1}", self.name(), if self.is_fortran() { "f90" } else { "c" })
    }

    /// The classes that our source has.
    pub fn our_classes(self) -> &'static str {
        if matches!(self, Cg | Ft | Mg) { "SWABC" } else { "SWAB" }
    }

    /// Whether it can run on this number of ranks.
    ///
    /// # Errors
    /// The numbers that it takes, as a text that follows "takes".
    pub fn takes(self, class: char, ranks: u32) -> Result<(), String> {
        let power_of_two = |limit: Option<u32>| {
            let limit_text = limit.map(|limit| format!(", at most {limit}")).unwrap_or_default();
            let fits = ranks.is_power_of_two() && limit.is_none_or(|limit| ranks <= limit);
            (fits, format!("a power of two of ranks{limit_text}"))
        };
        let (fits, numbers) = match self {
            Bt | Sp => multipartition(self.edge(class), ranks),
            Lu => wavefront(self.edge(class), ranks),
            Ep => {
                let limit = size(class, [8, 9, 12, 14, 16, 20, 24, 28]).map(|log2| 1 << log2);
                (limit.is_none_or(|limit| ranks <= limit), format!("at most {} ranks", limit.unwrap_or(u32::MAX)))
            }
            Cg => power_of_two(size(class, [1400, 7000, 14000, 75000, 150_000])),
            Ft => power_of_two(size(class, [64 * 64, 32 * 32, 128 * 128, 256 * 256, 512 * 512])),
            Is => power_of_two(Some(if class == 'S' { 128 } else { 1024 })),
            Mg => power_of_two(size(class, [4, 6, 7, 7, 8, 9]).map(|log2| 1 << (3 * log2))),
            // DT's number follows from the graph.
            Dt => (true, String::new()),
        };
        if fits { Ok(()) } else { Err(numbers) }
    }

    /// Points along an edge of the cube of BT, LU and SP.
    fn edge(self, class: char) -> Option<u32> {
        let small = match self {
            Lu => 33,
            Sp => 36,
            _ => 24,
        };
        size(class, [12, small, 64, 102, 162, 408, 1020, 2560])
    }
}

/// The nodes of a graph of DT, which is how many ranks it runs on.
pub fn nodes_of(graph: &str, class: char) -> Option<u32> {
    if graph == "SH" { size(class, [12, 32, 80, 192, 448, 1024]) } else { size(class, [5, 11, 21, 43, 85, 171]) }
}

/// The element of a table by class; none beyond its end.
fn size<const N: usize>(class: char, table: [u32; N]) -> Option<u32> {
    table.get(CLASSES.iter().position(|known| *known == class)?).copied()
}

/// BT and SP: a square, and cells of at least 3 points along each edge.
fn multipartition(edge: Option<u32>, ranks: u32) -> (bool, String) {
    let root = ranks.isqrt();
    let widest = edge.map(|edge| edge / 3);
    let limit_text = widest.map(|widest| format!(", at most {}", widest * widest)).unwrap_or_default();
    (
        root * root == ranks && widest.is_none_or(|widest| root <= widest),
        format!("a square number of ranks{limit_text}"),
    )
}

/// LU: a grid nx * ny with nx / 2 <= ny <= nx, and at least 3 points along each edge of a rank's part.
fn wavefront(edge: Option<u32>, ranks: u32) -> (bool, String) {
    let ny = (1..=ranks.isqrt()).rev().find(|ny| ranks.is_multiple_of(*ny)).unwrap_or(1);
    let nx = ranks / ny;
    let widest = edge.map(|edge| edge / 3);
    let limit_text = widest.map(|widest| format!(" and nx at most {widest}")).unwrap_or_default();
    (
        nx <= 2 * ny && widest.is_none_or(|widest| nx <= widest),
        format!("nx * ny ranks with nx / 2 <= ny <= nx{limit_text}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(benchmark: Benchmark, class: char) -> Vec<u32> {
        [1, 2, 3, 4, 6, 9, 12, 16, 36, 64, 128, 256, 512]
            .into_iter()
            .filter(|n| benchmark.takes(class, *n).is_ok())
            .collect()
    }

    #[test]
    fn each_benchmark_takes_its_numbers_of_ranks() {
        assert_eq!(taken(Cg, 'S'), [1, 2, 4, 16, 64, 128, 256, 512]);
        assert_eq!(taken(Is, 'S'), [1, 2, 4, 16, 64, 128]);
        assert_eq!(taken(Ep, 'S'), [1, 2, 3, 4, 6, 9, 12, 16, 36, 64, 128, 256]);
        assert_eq!(taken(Bt, 'S'), [1, 4, 9, 16]);
        assert_eq!(taken(Sp, 'W'), [1, 4, 9, 16, 36, 64]);
        assert_eq!(taken(Lu, 'S'), [1, 2, 4, 6, 9, 12, 16]);
        assert_eq!(taken(Lu, 'W'), [1, 2, 4, 6, 9, 12, 16, 36, 64]);
        assert_eq!(Cg.takes('S', 3), Err("a power of two of ranks, at most 1400".to_string()));
    }

    #[test]
    fn sizes_that_are_not_known_set_no_limit() {
        assert_eq!(Ft.takes('F', 1 << 20), Ok(()));
        assert!(Ft.takes('F', 3).is_err());
        assert_eq!(nodes_of("SH", 'S'), Some(12));
        assert_eq!(nodes_of("BH", 'E'), None);
    }
}
