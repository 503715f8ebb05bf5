//! Noise of the operating system: what interrupts computations, and for how long.
//!
//! Detours come to each rank's core at random (a Poisson process) and take a fixed time each, in which the rank
//! computes nothing. Those that come while it waits cost nothing. This is the usual description of noise by frequency
//! and duration (Ferreira, Bridges and Brightwell, "Characterizing application sensitivity to OS interference using
//! kernel-level noise injection", SC 2008; Hoefler, Schneider and Lumsdaine, "Characterizing the Influence of System
//! Noise on Large-Scale Applications by Simulation", SC 2010). Ranks are independent, and the same seed is the same
//! noise.

use smpi_base::WorldRank;
use smpi_base::plan;
use smpi_base::rng::Rng;

/// More detours of one computation than this take what they take on average: the sum of a million of them differs from
/// that by a thousandth, and a computation may be as long as a number can tell.
const MOST_DETOURS: f64 = 1e6;

/// The noise of a run.
#[derive(Debug)]
pub(crate) struct Noise {
    /// Mean time between two detours, in seconds.
    gap_secs: f64,
    /// What each of them takes, in seconds.
    detour_secs: f64,
    seed: u64,
    cores: Vec<Core>,
}

/// The detours of one rank.
#[derive(Debug)]
struct Core {
    rng: Rng,
    /// Date of the next one.
    next: f64,
}

impl Noise {
    pub fn new(noise: &plan::Noise) -> Noise {
        Noise {
            gap_secs: 1.0 / noise.frequency_hz,
            detour_secs: noise.detour_secs,
            seed: noise.seed,
            cores: Vec::new(),
        }
    }

    /// Seconds that detours add to a computation of `secs` seconds that a rank begins now.
    pub fn delay(&mut self, rank: WorldRank, now: f64, secs: f64) -> f64 {
        while self.cores.len() <= rank.index() {
            // Streams of neighbours are far apart, because the generator mixes its state.
            let mut mixed = Rng::new(self.seed);
            let rng = Rng::new(mixed.next_u64() ^ Rng::new(self.cores.len() as u64).next_u64());
            self.cores.push(Core { rng, next: -1.0 });
        }
        let core = &mut self.cores[rank.index()];
        if core.next < now {
            // The process has no memory: what came meanwhile need not be known.
            core.next = now + self.gap_secs * core.rng.exponential();
        }
        if secs / self.gap_secs > MOST_DETOURS {
            let busy = self.detour_secs / self.gap_secs;
            let added = secs * busy / (1.0 - busy);
            core.next = now + secs + added + self.gap_secs * core.rng.exponential();
            return added;
        }
        let mut added = 0.0;
        while core.next < now + secs + added {
            added += self.detour_secs;
            core.next += self.gap_secs * core.rng.exponential();
        }
        added
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detours_come_as_often_as_they_should_and_are_the_same_for_a_seed() {
        let plan = |seed| plan::Noise { frequency_hz: 1000.0, detour_secs: 25e-6, seed };
        let total = |seed: u64, rank: u32| {
            let mut noise = Noise::new(&plan(seed));
            (0..1000).map(|step| noise.delay(WorldRank(rank), f64::from(step), 0.1)).sum::<f64>()
        };
        // 100 s of computation: 100,000 detours of 25 us, and those that come in detours.
        let expected = 100.0 * (25e-3 / (1.0 - 25e-3));
        assert!((total(1, 0) - expected).abs() < 0.02 * expected, "{}", total(1, 0));
        assert_eq!(total(1, 3), total(1, 3));
        assert_ne!(total(1, 3), total(2, 3));
        assert_ne!(total(1, 3), total(1, 2));
    }

    #[test]
    fn long_computations_have_as_many_detours_and_end() {
        let mut noise = Noise::new(&plan::Noise { frequency_hz: 1000.0, detour_secs: 25e-6, seed: 1 });
        let share = |added: f64, secs: f64| added / secs / (25e-3 / (1.0 - 25e-3));
        let few = noise.delay(WorldRank(0), 0.0, 999.0);
        let many = noise.delay(WorldRank(0), 2000.0, 1001.0);
        assert!((share(few, 999.0) - 1.0).abs() < 0.005 && (share(many, 1001.0) - 1.0).abs() < 1e-12);
        assert!(noise.delay(WorldRank(0), 1e4, 1e300) > 2e298);
    }
}
