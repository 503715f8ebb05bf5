//! Binary floating point that Rust has no type for: binary16, x87 extended (`long double`) and binary128.
//!
//! Addition, multiplication, comparison and conversion with correct rounding (to nearest, ties to even), for
//! reductions and for external32. Source: IEEE 754-2019 §3.4, §4.3.1; Intel SDM volume 1 §4.2 (x87 format).

use std::cmp::Ordering;

/// A floating-point format with a 5- or 15-bit exponent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    /// Bits of the significand, with the leading one.
    precision: u32,
    /// Largest exponent of a finite number; the smallest normal one is `1 - max_exponent`.
    max_exponent: i32,
    /// Whether the leading one is stored.
    explicit: bool,
}

/// IEEE binary16.
pub const BINARY16: Format = Format { precision: 11, max_exponent: 15, explicit: false };
/// x87 extended precision: 80 bits.
pub const EXTENDED: Format = Format { precision: 64, max_exponent: 16383, explicit: true };
/// IEEE binary128.
pub const BINARY128: Format = Format { precision: 113, max_exponent: 16383, explicit: false };

/// A decoded number: exact for all formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Number {
    negative: bool,
    value: Value,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    Zero,
    /// `significand` × 2^(`exponent` - 127), with the top bit of the significand set.
    Finite {
        exponent: i32,
        significand: u128,
    },
    Infinite,
    NotANumber,
}

const NAN: Number = Number { negative: false, value: Value::NotANumber };

/// Shifts right and keeps in the last bit whether anything was lost.
fn shift_sticky(value: u128, by: u32) -> u128 {
    match by {
        0 => value,
        1..=127 => (value >> by) | u128::from(value << (128 - by) != 0),
        _ => u128::from(value != 0),
    }
}

/// `significand` × 2^(`exponent` - 127) with any leading bits.
fn normalised(negative: bool, exponent: i32, significand: u128) -> Number {
    let value = match significand {
        0 => Value::Zero,
        _ => {
            let zeros = significand.leading_zeros();
            Value::Finite { exponent: exponent - zeros as i32, significand: significand << zeros }
        }
    };
    Number { negative, value }
}

impl Format {
    /// Bits of the stored fraction (for x87: with the leading one).
    fn fraction_bits(self) -> u32 {
        if self.explicit { self.precision } else { self.precision - 1 }
    }

    fn exponent_mask(self) -> u32 {
        2 * self.max_exponent as u32 + 1
    }

    fn width(self) -> u32 {
        self.fraction_bits() + self.exponent_mask().count_ones() + 1
    }

    /// Reads a number; bits above the format's width are ignored. x87 encodings without a value read as NaN.
    pub fn decode(self, bits: u128) -> Number {
        let fraction_bits = self.fraction_bits();
        let negative = bits >> (self.width() - 1) & 1 == 1;
        let field = (bits >> fraction_bits) as u32 & self.exponent_mask();
        let fraction = bits & ((1 << fraction_bits) - 1);
        let leading = 1_u128 << (self.precision - 1);
        if field == self.exponent_mask() {
            let infinite = fraction == if self.explicit { leading } else { 0 };
            return if infinite { Number { negative, value: Value::Infinite } } else { NAN };
        }
        let significand = match (self.explicit, field) {
            (_, 0) => fraction,
            (false, _) => fraction | leading,
            (true, _) if fraction & leading == 0 => return NAN,
            (true, _) => fraction,
        };
        let exponent = field.max(1) as i32 - self.max_exponent;
        normalised(negative, exponent, significand << (128 - self.precision))
    }

    /// Writes a number, rounding it to the format.
    pub fn encode(self, number: Number) -> u128 {
        let fraction_bits = self.fraction_bits();
        let leading = 1_u128 << (self.precision - 1);
        let stored = |significand: u128| if self.explicit { significand } else { significand & !leading };
        let top = u128::from(self.exponent_mask()) << fraction_bits;
        let magnitude = match self.round(number).value {
            Value::Zero => 0,
            Value::Infinite => top | stored(leading),
            Value::NotANumber => top | stored(leading) | leading >> 1,
            Value::Finite { exponent, significand } => {
                let smallest = 1 - self.max_exponent;
                let significand = significand >> (128 - self.precision);
                if exponent < smallest {
                    significand >> (smallest - exponent)
                } else {
                    u128::from((exponent + self.max_exponent) as u32) << fraction_bits | stored(significand)
                }
            }
        };
        magnitude | u128::from(number.negative) << (self.width() - 1)
    }

    /// The nearest number of this format.
    pub fn round(self, number: Number) -> Number {
        let Value::Finite { exponent, significand } = number.value else { return number };
        let subnormal = (1 - self.max_exponent - exponent).max(0) as u32;
        let drop = 128 - self.precision + subnormal;
        if drop > 128 {
            return Number { value: Value::Zero, ..number };
        }
        // The bits below the last kept one, aligned to the top: more than half, exactly half, or less.
        let lost = significand << (128 - drop);
        let kept = significand.checked_shr(drop).unwrap_or(0);
        let half = 1_u128 << 127;
        let up = lost > half || (lost == half && kept & 1 == 1);
        let kept = kept + u128::from(up);
        // `kept` has at most `precision` bits and a carry, far below 128 bits.
        let rounded = normalised(number.negative, exponent + drop as i32, kept);
        match rounded.value {
            Value::Finite { exponent, .. } if exponent > self.max_exponent => {
                Number { value: Value::Infinite, ..number }
            }
            _ => rounded,
        }
    }

    /// `a` + `b`, rounded.
    pub fn add(self, a: Number, b: Number) -> Number {
        self.round(add_exact(a, b))
    }

    /// `a` × `b`, rounded.
    pub fn multiply(self, a: Number, b: Number) -> Number {
        let negative = a.negative != b.negative;
        let value = match (a.value, b.value) {
            (Value::NotANumber, _) | (_, Value::NotANumber) => return NAN,
            (Value::Infinite, Value::Zero) | (Value::Zero, Value::Infinite) => return NAN,
            (Value::Infinite, _) | (_, Value::Infinite) => Value::Infinite,
            (Value::Zero, _) | (_, Value::Zero) => Value::Zero,
            (Value::Finite { exponent: e, significand: s }, Value::Finite { exponent: f, significand: t }) => {
                let product = multiply_high(s, t);
                return self.round(normalised(negative, e + f + 1, product));
            }
        };
        Number { negative, value }
    }
}

/// Top 128 bits of a 256-bit product; the last bit also says whether anything is lost below.
fn multiply_high(a: u128, b: u128) -> u128 {
    let (a1, a0) = (a >> 64, a & u128::from(u64::MAX));
    let (b1, b0) = (b >> 64, b & u128::from(u64::MAX));
    let low = a0 * b0;
    let (mid1, mid2) = (a1 * b0, a0 * b1);
    let carry = (low >> 64) + (mid1 & u128::from(u64::MAX)) + (mid2 & u128::from(u64::MAX));
    let high = a1 * b1 + (mid1 >> 64) + (mid2 >> 64) + (carry >> 64);
    high | u128::from((low as u64 | carry as u64) != 0)
}

/// The sum with enough bits (the lowest one sticky) that rounding it is rounding the exact sum.
///
/// The formats leave at least 15 zero bits at the end of a significand: room for the carry and the sticky bit.
fn add_exact(a: Number, b: Number) -> Number {
    let (large, small) = match (a.value, b.value) {
        (Value::NotANumber, _) | (_, Value::NotANumber) => return NAN,
        (Value::Infinite, Value::Infinite) => return if a.negative == b.negative { a } else { NAN },
        (Value::Infinite, _) => return a,
        (_, Value::Infinite) => return b,
        (Value::Zero, Value::Zero) => return Number { negative: a.negative && b.negative, value: Value::Zero },
        (Value::Zero, _) => return b,
        (_, Value::Zero) => return a,
        _ if a.magnitude() >= b.magnitude() => (a, b),
        _ => (b, a),
    };
    let ((exponent, top), (other, bottom)) = (large.magnitude(), small.magnitude());
    let top = top >> 1;
    let bottom = shift_sticky(bottom, (exponent - other) as u32 + 1);
    if large.negative == small.negative {
        normalised(large.negative, exponent + 1, top + bottom)
    } else {
        let sum = normalised(large.negative, exponent + 1, top - bottom);
        // An exact zero is positive when rounding to nearest.
        Number { negative: sum.negative && sum.value != Value::Zero, ..sum }
    }
}

impl Number {
    /// Sorts finite numbers by absolute value.
    fn magnitude(self) -> (i32, u128) {
        match self.value {
            Value::Finite { exponent, significand } => (exponent, significand),
            Value::Infinite => (i32::MAX, 0),
            Value::Zero | Value::NotANumber => (i32::MIN, 0),
        }
    }

    /// The number with the other sign.
    pub fn negated(self) -> Number {
        Number { negative: !self.negative, ..self }
    }

    /// Order by value; `None` with a NaN. Zeros are equal.
    pub fn compare(self, other: Number) -> Option<Ordering> {
        if self.value == Value::NotANumber || other.value == Value::NotANumber {
            return None;
        }
        let sign = |number: Number| match (number.value, number.negative) {
            (Value::Zero, _) => 0,
            (_, true) => -1,
            (_, false) => 1,
        };
        let order = sign(self).cmp(&sign(other));
        let magnitudes = self.magnitude().cmp(&other.magnitude());
        Some(order.then(if self.negative { magnitudes.reverse() } else { magnitudes }))
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Number {
        Format { precision: 53, max_exponent: 1023, explicit: false }.decode(u128::from(value.to_bits()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same algorithms on binary64, where the hardware is the oracle.
    const BINARY64: Format = Format { precision: 53, max_exponent: 1023, explicit: false };

    fn same(bits: u128, hardware: f64) -> bool {
        bits == u128::from(hardware.to_bits()) || (hardware.is_nan() && f64::from_bits(bits as u64).is_nan())
    }

    /// Doubles of all kinds, with many near each other, subnormal or special.
    fn doubles() -> impl Strategy<Value = f64> {
        prop_oneof![
            any::<u64>().prop_map(f64::from_bits),
            (0..4_u64, 0..5_u64, any::<bool>())
                .prop_map(|(a, b, sign)| { f64::from_bits(u64::from(sign) << 63 | a << 51 | b << 20 | b) }),
            (1020..1030_u64, any::<u64>()).prop_map(|(e, f)| f64::from_bits(e << 52 | f >> 12)),
            Just(0.0),
            Just(-0.0),
            Just(f64::INFINITY),
            Just(f64::NEG_INFINITY),
            Just(f64::NAN),
            Just(f64::MAX),
            Just(f64::MIN_POSITIVE),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn arithmetic_agrees_with_the_hardware(a in doubles(), b in doubles()) {
            let (x, y) = (Number::from(a), Number::from(b));
            prop_assert!(same(BINARY64.encode(BINARY64.add(x, y)), a + b), "{a:e} + {b:e}");
            prop_assert!(same(BINARY64.encode(BINARY64.multiply(x, y)), a * b), "{a:e} * {b:e}");
            prop_assert_eq!(x.compare(y), a.partial_cmp(&b));
        }

        #[test]
        fn encoding_is_the_inverse_of_decoding(bits in any::<u64>(), exponent in any::<u16>()) {
            for format in [BINARY64, BINARY128, BINARY16, EXTENDED] {
                let bits = (u128::from(exponent) << 112 | u128::from(bits)) >> (128 - format.width());
                let number = format.decode(bits);
                if number != NAN && !(format.explicit && exponent & 0x7fff == 0) {
                    prop_assert_eq!(format.encode(number), bits, "{:?}", format);
                }
            }
        }

        #[test]
        fn wider_formats_hold_narrower_ones(value in doubles()) {
            for format in [EXTENDED, BINARY128] {
                let wide = format.decode(format.encode(Number::from(value)));
                prop_assert!(same(BINARY64.encode(wide), value));
            }
        }
    }

    #[test]
    fn known_encodings() {
        assert_eq!(EXTENDED.encode(Number::from(1.0)), 0x3fff_8000_0000_0000_0000);
        assert_eq!(EXTENDED.encode(Number::from(-2.5)), 0xc000_a000_0000_0000_0000);
        assert_eq!(BINARY128.encode(Number::from(1.0)), 0x3fff << 112);
        assert_eq!(BINARY16.encode(Number::from(65504.0)), 0x7bff);
        assert_eq!(BINARY16.encode(Number::from(65520.0)), 0x7c00);
        assert_eq!(BINARY16.encode(Number::from(5.960_464_477_539_063e-8)), 1);
        assert_eq!(BINARY16.encode(Number::from(2.980_232_238_769_531_3e-8)), 0);
        assert_eq!(EXTENDED.encode(Number::from(f64::INFINITY)), 0x7fff_8000_0000_0000_0000);
    }

    #[test]
    fn extended_sums_round_to_64_bits() {
        let one = Number::from(1.0);
        let ulp = Number::from(2.0_f64.powi(-63));
        let half = Number::from(2.0_f64.powi(-64));
        assert_eq!(EXTENDED.encode(EXTENDED.add(one, ulp)), 0x3fff_8000_0000_0000_0001);
        assert_eq!(EXTENDED.encode(EXTENDED.add(one, half)), 0x3fff_8000_0000_0000_0000);
        assert_eq!(EXTENDED.encode(EXTENDED.add(EXTENDED.add(one, ulp), half)), 0x3fff_8000_0000_0000_0002);
    }
}
