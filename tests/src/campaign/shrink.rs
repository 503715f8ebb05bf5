//! Makes a program on which two disagree as small as possible.

use super::program::Program;

/// Takes parts out of a program as long as it still `fails`.
pub fn shrink(mut program: Program, fails: impl Fn(&Program) -> bool) -> Program {
    while let Some(smaller) = program.smaller().into_iter().find(&fails) {
        program = smaller;
    }
    program
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_goes() {
        let program = Program::parse("irecv*,isend1,wait0,barrier recv0+,barrier send0,barrier").unwrap();
        let small = shrink(program, |program| program.has(|op| op.name == "wait"));
        assert_eq!(small.to_string(), "irecv*,wait0 -");
    }
}
