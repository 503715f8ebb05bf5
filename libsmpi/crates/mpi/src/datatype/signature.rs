//! Type signatures: the sequence of basic types of a datatype, compressed, with a hash that composes.
//!
//! Signatures decide whether a send and a receive fit together (MPI 5.0 §3.3.1), count received elements (§5.1.11) and
//! drive the conversion to external32. The hash of a sequence s₁…sₙ is Σ sᵢ·Bⁿ⁻ⁱ modulo 2⁶¹−1, so that hashes of
//! concatenations and repetitions follow from the hashes of their parts in logarithmic time.

use std::sync::Arc;

use super::basic::Basic;

/// A sequence of basic types. Pairs count as their two components.
#[derive(Clone, Debug)]
pub struct Signature {
    parts: Parts,
    elements: u64,
    bytes: u64,
    hash: u64,
}

/// The list of parts; predefined and uniform types need no allocation.
#[derive(Clone, Debug)]
enum Parts {
    One([Part; 1]),
    Two([Part; 2]),
    Many(Arc<[Part]>),
}

impl std::ops::Deref for Parts {
    type Target = [Part];

    fn deref(&self) -> &[Part] {
        match self {
            Parts::One(parts) => parts,
            Parts::Two(parts) => parts,
            Parts::Many(parts) => parts,
        }
    }
}

/// `count` times the same unit.
#[derive(Clone, Debug)]
struct Part {
    unit: Unit,
    count: u64,
}

#[derive(Clone, Debug)]
enum Unit {
    Basic(Basic),
    Group(Arc<Signature>),
}

const MODULUS: u64 = (1 << 61) - 1;
/// An arbitrary number below the modulus with well mixed bits.
const BASE: u64 = 0x0c6a_4a79_35bd_1e99;

fn multiply(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    let folded = (product as u64 & MODULUS) + (product >> 61) as u64;
    if folded >= MODULUS { folded - MODULUS } else { folded }
}

fn add(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= MODULUS { sum - MODULUS } else { sum }
}

/// B^`exponent` and the hash factor of a repetition: (Bᵏ, 1 + Bᵏ/ⁿ + …) by doubling, for a unit whose power is `unit`.
fn repetition(unit: u64, mut times: u64) -> (u64, u64) {
    // Invariant: `power` = unit^done, `series` = 1 + unit + … + unit^(done-1), and the same for the doubling pair.
    let (mut power, mut series) = (1, 0);
    let (mut step_power, mut step_series) = (unit, 1);
    while times > 0 {
        if times & 1 == 1 {
            series = add(multiply(series, step_power), step_series);
            power = multiply(power, step_power);
        }
        step_series = add(multiply(step_series, step_power), step_series);
        step_power = multiply(step_power, step_power);
        times >>= 1;
    }
    (power, series)
}

fn power_of_base(exponent: u64) -> u64 {
    repetition(BASE, exponent).0
}

fn basic_hash(basic: Basic) -> u64 {
    basic as u64 + 1
}

impl Part {
    fn elements(&self) -> u64 {
        match &self.unit {
            Unit::Basic(_) => self.count,
            Unit::Group(group) => group.elements * self.count,
        }
    }

    fn unit_bytes(&self) -> u64 {
        match &self.unit {
            Unit::Basic(basic) => u64::from(basic.size()),
            Unit::Group(group) => group.bytes,
        }
    }

    fn unit_elements(&self) -> u64 {
        match &self.unit {
            Unit::Basic(_) => 1,
            Unit::Group(group) => group.elements,
        }
    }

    fn unit_hash(&self) -> u64 {
        match &self.unit {
            Unit::Basic(basic) => basic_hash(*basic),
            Unit::Group(group) => group.hash,
        }
    }
}

impl Signature {
    /// The signature of a predefined type.
    pub(super) fn of(basic: Basic) -> Signature {
        let mut builder = SignatureBuilder::default();
        let (first, second) = basic.pair().map_or((basic, None), |(value, index)| (value, Some(index)));
        builder.push_basic(first, 1);
        if let Some(second) = second {
            builder.push_basic(second, 1);
        }
        builder.finish()
    }

    /// Number of basic elements.
    pub fn elements(&self) -> u64 {
        self.elements
    }

    /// Bytes of all elements.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The one basic type all elements have, if so.
    pub fn uniform(&self) -> Option<Basic> {
        match &*self.parts {
            [Part { unit: Unit::Basic(basic), .. }] => Some(*basic),
            _ => None,
        }
    }

    /// True when `count` times this signature equals, or starts, `other_count` times the other: what a receive needs
    /// of the send it takes. `MPI_PACKED` matches everything.
    pub fn starts(&self, count: u64, other: &Signature, other_count: u64) -> bool {
        if self.uniform() == Some(Basic::Packed) || other.uniform() == Some(Basic::Packed) {
            return true;
        }
        let elements = self.elements.saturating_mul(count);
        if elements == 0 {
            return true;
        }
        if other.elements == 0 || elements.div_ceil(other.elements) > other_count {
            return false;
        }
        other.prefix_hash(elements) == repeated_hash(self.hash, self.elements, count)
    }

    /// Hash of the first `elements` of this signature, repeated as often as needed.
    fn prefix_hash(&self, elements: u64) -> u64 {
        let whole = elements / self.elements;
        let mut hash = repeated_hash(self.hash, self.elements, whole);
        let mut left = elements % self.elements;
        for part in self.parts.iter() {
            if left == 0 {
                break;
            }
            let take = left.min(part.elements());
            let piece = match &part.unit {
                Unit::Basic(basic) => repeated_hash(basic_hash(*basic), 1, take),
                Unit::Group(group) => group.prefix_hash(take),
            };
            hash = add(multiply(hash, power_of_base(take)), piece);
            left -= take;
        }
        hash
    }

    /// Number of whole basic elements in the first `bytes` of the repeated packed signature, and the bytes left over.
    pub fn elements_in(&self, bytes: u64) -> (u64, u64) {
        if self.bytes == 0 {
            return (0, bytes);
        }
        let mut elements = bytes / self.bytes * self.elements;
        let mut left = bytes % self.bytes;
        for part in self.parts.iter() {
            let whole = (left / part.unit_bytes()).min(part.count);
            elements += whole * part.unit_elements();
            left -= whole * part.unit_bytes();
            if whole < part.count {
                if let Unit::Group(group) = &part.unit {
                    let inner = group.elements_in(left);
                    return (elements + inner.0, inner.1);
                }
                break;
            }
        }
        (elements, left)
    }

    /// Bytes that the first `elements` of the repeated signature take when packed.
    pub fn bytes_of(&self, elements: u64) -> u64 {
        if self.elements == 0 {
            return 0;
        }
        let mut bytes = (elements / self.elements).saturating_mul(self.bytes);
        let mut left = elements % self.elements;
        for part in self.parts.iter() {
            let whole = (left / part.unit_elements()).min(part.count);
            bytes = bytes.saturating_add(whole * part.unit_bytes());
            left -= whole * part.unit_elements();
            if whole < part.count {
                if let Unit::Group(group) = &part.unit {
                    bytes = bytes.saturating_add(group.bytes_of(left));
                }
                break;
            }
        }
        bytes
    }

    /// Calls `visit` for each maximal stored run of equal basic types, in order, until it fails.
    pub fn for_each<E>(&self, visit: &mut impl FnMut(Basic, u64) -> Result<(), E>) -> Result<(), E> {
        for part in self.parts.iter() {
            match &part.unit {
                Unit::Basic(basic) => visit(*basic, part.count)?,
                Unit::Group(group) => {
                    for _ in 0..part.count {
                        group.for_each(visit)?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl PartialEq for Signature {
    fn eq(&self, other: &Signature) -> bool {
        (self.elements, self.bytes, self.hash) == (other.elements, other.bytes, other.hash)
    }
}

impl Eq for Signature {}

fn repeated_hash(hash: u64, elements: u64, times: u64) -> u64 {
    multiply(hash, repetition(power_of_base(elements), times).1)
}

/// Builds the signature of a concatenation.
#[derive(Default)]
pub(super) struct SignatureBuilder {
    parts: Vec<Part>,
}

impl SignatureBuilder {
    /// Appends `times` repetitions. The caller has checked that all bytes together fit 63 bits.
    pub(super) fn push(&mut self, signature: &Signature, times: u64) {
        if times == 0 || signature.elements == 0 {
            return;
        }
        match &*signature.parts {
            [Part { unit: Unit::Basic(basic), count }] => self.push_basic(*basic, count * times),
            [Part { unit: Unit::Group(group), count }] => self.push_group(group, count * times),
            parts if times == 1 => {
                for part in parts {
                    match &part.unit {
                        Unit::Basic(basic) => self.push_basic(*basic, part.count),
                        Unit::Group(group) => self.push_group(group, part.count),
                    }
                }
            }
            _ => self.push_group(&Arc::new(signature.clone()), times),
        }
    }

    fn push_basic(&mut self, basic: Basic, count: u64) {
        match self.parts.last_mut() {
            Some(Part { unit: Unit::Basic(last), count: sum }) if *last == basic => *sum += count,
            _ => self.parts.push(Part { unit: Unit::Basic(basic), count }),
        }
    }

    fn push_group(&mut self, group: &Arc<Signature>, count: u64) {
        match self.parts.last_mut() {
            Some(Part { unit: Unit::Group(last), count: sum }) if last == group => *sum += count,
            _ => self.parts.push(Part { unit: Unit::Group(group.clone()), count }),
        }
    }

    /// The finished signature.
    pub(super) fn finish(self) -> Signature {
        let (mut elements, mut bytes, mut hash) = (0, 0, 0);
        for part in &self.parts {
            let piece = repeated_hash(part.unit_hash(), part.unit_elements(), part.count);
            hash = add(multiply(hash, power_of_base(part.elements())), piece);
            elements += part.elements();
            bytes += part.unit_bytes() * part.count;
        }
        let parts = match <[Part; 1]>::try_from(self.parts) {
            Ok(one) => Parts::One(one),
            Err(parts) => match <[Part; 2]>::try_from(parts) {
                Ok(two) => Parts::Two(two),
                Err(parts) => Parts::Many(parts.into()),
            },
        };
        Signature { parts, elements, bytes, hash }
    }
}
