//! The network models by name, each as a row of constants. `--cfg` and a platform's `[network]` table change single
//! constants of the chosen one.
//!
//! Figures: the models of SimGrid by their names (`SMPI` is what its `smpirun` uses). LV08: Velho and Legrand,
//! "Accuracy Study and Improvement of Network Simulation in the SimGrid Framework", SIMUTools 2009. IB: Vienne,
//! "Prédiction de performances d'applications de calcul haute performance sur réseau Infiniband", thesis, Grenoble
//! 2010. LogGOPS: Hoefler, Schneider and Lumsdaine, "LogGOPSim", HPDC 2010.

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
    /// As `network/model` names it.
    pub name: &'static str,
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

#[rustfmt::skip]
const MODELS: [Model; 7] = [
    model("SMPI", Kind::Fluid, &SMPI_LATENCY, &SMPI_BANDWIDTH, 8775.0, WINDOW, true),
    model("LV08", Kind::Fluid, &[(ALL, 13.01)], &[(ALL, 0.97)], 20537.0, WINDOW, true),
    model("CM02", Kind::Fluid, ONE, ONE, 0.0, WINDOW, true),
    model("IB", Kind::InfiniBand, ONE, ONE, 8775.0, WINDOW, true),
    model("LogGOPS", Kind::LogGops, ONE, ONE, 0.0, 0.0, false),
    model("raw", Kind::Fluid, ONE, ONE, 0.0, 0.0, false),
    model("Constant", Kind::Constant, ONE, ONE, 0.0, 0.0, false),
];

const fn model(
    name: &'static str,
    kind: Kind,
    latency: &'static [(f64, f64)],
    bandwidth: &'static [(f64, f64)],
    weight_s: f64,
    tcp_gamma: f64,
    crosstraffic: bool,
) -> Model {
    Model { name, kind, latency, bandwidth, weight_s, tcp_gamma, crosstraffic }
}

/// The model of `smpirun` without an option.
pub(crate) fn default_model() -> &'static Model {
    &MODELS[0]
}

/// The model of this name, in whatever case.
pub(crate) fn model_named(name: &str) -> Result<&'static Model, String> {
    let names = "SMPI, LV08, CM02, IB, LogGOPS, raw or Constant";
    match MODELS.iter().find(|model| model.name.eq_ignore_ascii_case(name)) {
        Some(model) => Ok(model),
        None if name == "ns-3" => Err(format!("the model ns-3 is not available here, expected {names}")),
        None => Err(format!("no model is named \"{name}\", expected {names}")),
    }
}
