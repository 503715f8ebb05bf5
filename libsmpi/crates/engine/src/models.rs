//! The network models by name, each as a row of constants. `--cfg` and a platform's `[network]` table change single
//! constants of the chosen one.
//!
//! Figures: the models of SimGrid by their names (`SMPI` is what its `smpirun` uses). LV08: Velho and Legrand,
//! "Accuracy Study and Improvement of Network Simulation in the SimGrid Framework", SIMUTools 2009. IB: Vienne,
//! "Prédiction de performances d'applications de calcul haute performance sur réseau Infiniband", thesis, Grenoble
//! 2010. LogGOPS: Hoefler, Schneider and Lumsdaine, "LogGOPSim", HPDC 2010.

use smpi_settings::Model as Named;

/// What decides how long a message takes, beside the constants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Flows share links, see `network.rs`.
    Fluid,
    /// The same, and messages that leave or reach one host together are slower, see `infiniband.rs`.
    InfiniBand,
    /// Only the ends of messages are shared, see `nics.rs`.
    LogGops,
    /// Every message takes one second.
    Constant,
}

/// A network model.
#[derive(PartialEq, Debug)]
pub(crate) struct Model {
    pub kind: Kind,
    /// Factors of the latency: (bytes, factor of larger messages).
    pub latency: &'static [(f64, f64)],
    /// Factors of the bandwidth.
    pub bandwidth: &'static [(f64, f64)],
    /// Bytes that weigh a link's bandwidth in the sharing penalty.
    pub weight_s: f64,
    /// Largest TCP window in bytes; 0: no limit.
    pub tcp_gamma: f64,
    /// Acknowledgements take a part of the way back.
    pub crosstraffic: bool,
}

/// Fitted on TACC Stampede: Bedaride et al., "Toward Better Simulation of MPI Applications on Ethernet/TCP Networks",
/// PMBS 2013.
const SMPI_LATENCY: [(f64, f64); 9] = [
    (0.0, 2.01467),
    (257.0, 1.95341),
    (732.0, 1.9503),
    (1426.0, 1.61075),
    (3484.0, 1.88101),
    (5776.0, 2.18796),
    (9376.0, 2.59299),
    (15424.0, 3.48845),
    (65472.0, 11.6436),
];

const SMPI_BANDWIDTH: [(f64, f64); 9] = [
    (0.0, 0.812084),
    (257.0, 0.338112),
    (732.0, 0.341987),
    (1426.0, 0.608902),
    (3484.0, 0.77493),
    (5776.0, 1.08739),
    (9376.0, 0.58729),
    (15424.0, 0.697866),
    (65472.0, 0.940694),
];

/// Below every size.
const ALL: f64 = -1.0;
const ONE: &[(f64, f64)] = &[(ALL, 1.0)];

const WINDOW: f64 = 4_194_304.0;

/// The constants of a model.
#[rustfmt::skip]
pub(crate) fn of(named: Named) -> Model {
    match named {
        Named::Smpi => model(Kind::Fluid, &SMPI_LATENCY, &SMPI_BANDWIDTH, 8775.0, WINDOW, true),
        Named::Lv08 => model(Kind::Fluid, &[(ALL, 13.01)], &[(ALL, 0.97)], 20537.0, WINDOW, true),
        Named::Cm02 => model(Kind::Fluid, ONE, ONE, 0.0, WINDOW, true),
        Named::Ib => model(Kind::InfiniBand, ONE, ONE, 8775.0, WINDOW, true),
        Named::LogGops => model(Kind::LogGops, ONE, ONE, 0.0, 0.0, false),
        Named::Raw => model(Kind::Fluid, ONE, ONE, 0.0, 0.0, false),
        Named::Constant => model(Kind::Constant, ONE, ONE, 0.0, 0.0, false),
    }
}

fn model(
    kind: Kind,
    latency: &'static [(f64, f64)],
    bandwidth: &'static [(f64, f64)],
    weight_s: f64,
    tcp_gamma: f64,
    crosstraffic: bool,
) -> Model {
    Model { kind, latency, bandwidth, weight_s, tcp_gamma, crosstraffic }
}
