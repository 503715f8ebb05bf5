//! Whether bytes of a declared type are what somebody takes them for.

use super::types::{Kind, Member, Type, Types};
use super::{Declarations, TypeId};

/// What an element of a message is, apart from its size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// An integer, an address or a truth value.
    Integer,
    /// A floating-point number.
    Float,
    /// Two of half the size.
    Complex,
}

/// How an element fits what was declared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fit {
    /// It is that.
    Fits,
    /// That cannot be said.
    Unknown,
    /// It is something else.
    Differs {
        /// The way to the part that is there, such as `.place[1]`; empty for a variable that is one value.
        part: String,
        /// What that part was declared to be.
        declared: String,
    },
}

impl Fit {
    /// One of several things that share their bytes is meant, and nobody knows which.
    fn or(self, other: Fit) -> Fit {
        match (&self, &other) {
            (Fit::Fits, _) | (Fit::Unknown, Fit::Differs { .. }) | (Fit::Differs { .. }, Fit::Differs { .. }) => self,
            _ => other,
        }
    }
}

impl Declarations {
    /// Whether `size` bytes of this shape at an offset of a value of a type are what was declared there.
    pub fn fit(&self, declared: TypeId, offset: u64, shape: Shape, size: u64) -> Fit {
        self.types.fit(declared, offset, shape, size)
    }

    /// After how many bytes the same types follow each other again, everywhere in `len` bytes at an offset of a value
    /// of a type: those of an element, in an array. `None` when they are not all alike.
    pub fn period(&self, declared: TypeId, offset: u64, len: u64) -> Option<u64> {
        self.types.period(declared, offset, len)
    }
}

impl Types {
    fn fit(&self, declared: TypeId, offset: u64, shape: Shape, size: u64) -> Fit {
        let whole = self.part(declared, offset, shape, size, String::new());
        if shape != Shape::Complex || whole == Fit::Fits {
            return whole;
        }
        let half = size / 2;
        let halves =
            [offset, offset + half].map(|offset| self.part(declared, offset, Shape::Float, half, String::new()));
        if halves.iter().all(|half| *half == Fit::Fits) { Fit::Fits } else { whole }
    }

    fn period(&self, declared: TypeId, offset: u64, len: u64) -> Option<u64> {
        match self.get(declared) {
            Type::Unknown => None,
            Type::Named { of, .. } => self.period(*of, offset, len),
            Type::Value { size, .. } => (offset.checked_add(len)? <= *size).then_some(*size),
            Type::Array { of, .. } => {
                let each = self.size_of(*of).filter(|&each| each > 0)?;
                if (offset % each).checked_add(len)? <= each {
                    return self.period(*of, offset % each, len);
                }
                self.innermost(*of)
            }
            Type::Members { members, .. } => {
                let size = |member: &Member| self.size_of(member.of).unwrap_or(0);
                let mut meeting = members.iter().filter(|member| {
                    member.offset < offset.saturating_add(len) && offset < member.offset + size(member)
                });
                let (only, None) = (meeting.next()?, meeting.next()) else { return None };
                let is_within = only.offset <= offset && offset.checked_add(len)? <= only.offset + size(only);
                if is_within { self.period(only.of, offset - only.offset, len) } else { None }
            }
        }
    }

    /// Bytes of an element of the innermost array.
    fn innermost(&self, of: TypeId) -> Option<u64> {
        match self.get(of) {
            Type::Named { of, .. } | Type::Array { of, .. } => self.innermost(*of),
            _ => self.size_of(of).filter(|&size| size > 0),
        }
    }

    fn part(&self, declared: TypeId, offset: u64, shape: Shape, size: u64, mut way: String) -> Fit {
        match self.get(declared) {
            Type::Unknown => Fit::Unknown,
            Type::Named { of, .. } => match self.part(*of, offset, shape, size, way) {
                // The name that the program uses says more.
                Fit::Differs { part, .. } if matches!(self.get(*of), Type::Value { .. } | Type::Named { .. }) => {
                    Fit::Differs { part, declared: self.describe(declared) }
                }
                found => found,
            },
            Type::Value { size: own, kind, name } => {
                let fits = match (kind, shape) {
                    (Kind::Bytes, _) => true,
                    (Kind::Integer, Shape::Integer) | (Kind::Float, Shape::Float) | (Kind::Complex, Shape::Complex) => {
                        offset == 0 && *own == size
                    }
                    (Kind::Complex, Shape::Float) => *own == 2 * size && offset.is_multiple_of(size),
                    _ => false,
                };
                if fits { Fit::Fits } else { Fit::Differs { part: way, declared: name.clone() } }
            }
            Type::Array { of, extents, is_fortran } => {
                let Some(each) = self.size_of(*of).filter(|&each| each > 0) else { return Fit::Unknown };
                let index = offset / each;
                if index >= extents.iter().product() {
                    return Fit::Unknown;
                }
                way.push_str(&subscripts(index, extents, *is_fortran));
                self.part(*of, offset % each, shape, size, way)
            }
            Type::Members { members, is_fortran, .. } => {
                let mut found = None;
                for member in members {
                    let end = member.offset + self.size_of(member.of).unwrap_or(0);
                    if (member.offset..end).contains(&offset) {
                        let way = way_to(&way, member, *is_fortran);
                        let fit = self.part(member.of, offset - member.offset, shape, size, way);
                        found = Some(match found {
                            None => fit,
                            Some(other) => fit.or(other),
                        });
                    }
                }
                found.unwrap_or_else(|| self.behind_padding(members, offset, size, &way, *is_fortran))
            }
        }
    }

    /// An element that begins in padding, or in what is not known of the type. It is something else where it reaches
    /// into a value behind that.
    fn behind_padding(&self, members: &[Member], offset: u64, size: u64, way: &str, is_fortran: bool) -> Fit {
        let met = members.iter().find(|member| offset < member.offset && member.offset < offset.saturating_add(size));
        match met {
            Some(member) if self.is_value(member.of) => {
                Fit::Differs { part: way_to(way, member, is_fortran), declared: self.describe(member.of) }
            }
            _ => Fit::Unknown,
        }
    }

    /// Whether that is one value, and not room for anything.
    fn is_value(&self, of: TypeId) -> bool {
        match self.get(of) {
            Type::Named { of, .. } => self.is_value(*of),
            Type::Value { kind, .. } => *kind != Kind::Bytes,
            _ => false,
        }
    }
}

/// The way to a member, in the words of its language.
fn way_to(way: &str, member: &Member, is_fortran: bool) -> String {
    let dot = match (member.name.is_empty(), is_fortran) {
        (true, _) => "",
        (false, true) => "%",
        (false, false) => ".",
    };
    format!("{way}{dot}{}", member.name)
}

/// The subscripts of an element in the order of its language; Fortran's begin at 1 here, wherever the array's do.
fn subscripts(mut index: u64, extents: &[u64], is_fortran: bool) -> String {
    let mut found = vec![0; extents.len()];
    let mut take = |at: usize| {
        found[at] = index % extents[at];
        index /= extents[at];
    };
    if is_fortran {
        (0..extents.len()).for_each(&mut take);
        let words: Vec<String> = found.iter().map(|index| (index + 1).to_string()).collect();
        return format!("({})", words.join(","));
    }
    (0..extents.len()).rev().for_each(&mut take);
    found.iter().map(|index| format!("[{index}]")).collect()
}
