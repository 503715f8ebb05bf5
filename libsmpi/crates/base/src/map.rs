//! Hash maps without a random seed, so that two runs behave the same.
//!
//! Their iteration order is still arbitrary: never let it reach an output or a decision.

/// Deterministic hash map.
pub type Map<K, V> = rustc_hash::FxHashMap<K, V>;
/// Deterministic hash set.
pub type Set<K> = rustc_hash::FxHashSet<K>;
/// The hasher of these maps, for other keys that must not depend on a seed.
pub use rustc_hash::FxBuildHasher;
