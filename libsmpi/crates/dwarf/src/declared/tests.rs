//! Programs whose debug information is known.

use super::*;
use std::path::PathBuf;
use std::process::Command;

const PROGRAM: &str = "
struct pair { double first; int second[3]; unsigned low : 3; };
typedef struct pair couple;
static union { int number; float real; } word;
couple pairs[4];
int grid[2][3];
struct { int first; double second; } gap;
__attribute__((noipa)) void use(void *);
void work(int n) {
    couple own = {0};
    int lengths[n];
    use(&own); use(lengths);
    { long inner[5]; use(inner); }
    use(&word);
}
int main(void) { work(3); return 0; }
void use(void *p) { (void)p; }
";

struct Compiled {
    directory: PathBuf,
    declarations: Declarations,
}

impl Drop for Compiled {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

impl Compiled {
    fn new(name: &str, options: &[&str]) -> Compiled {
        let directory = std::env::temp_dir().join(format!("smpi-declared-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("the temporary directory is writable");
        std::fs::write(directory.join("a.c"), PROGRAM).expect("the temporary directory is writable");
        let words = [&["-g", "a.c", "-o", "a"], options].concat();
        let status = Command::new("gcc").current_dir(&directory).args(words).status();
        assert!(status.expect("there is a C compiler").success());
        let declarations = Declarations::open(&directory.join("a")).expect("it has debug information");
        Compiled { directory, declarations }
    }

    fn symbol(&self, name: &str) -> u64 {
        use object::ObjectSymbol;
        let data = std::fs::read(self.directory.join("a")).expect("the program was linked");
        let file = object::File::parse(&*data).expect("it is an ELF file");
        let symbol = file.symbols().find(|symbol| symbol.name() == Ok(name));
        symbol.expect("the program has the symbol").address()
    }

    fn variable(&mut self, name: &str) -> Static {
        let start = self.symbol(name);
        let found = self.declarations.statics(start..start + 1);
        found.into_iter().find(|one| one.name == name).expect("the variable has an entry")
    }
}

#[test]
fn variables_and_their_types() {
    let mut program = Compiled::new("types", &[]);
    let pairs = program.variable("pairs");
    let all = &program.declarations;
    assert_eq!((pairs.size, all.describe(pairs.declared)), (4 * 24, "couple[4]".to_string()));
    let fit = |offset, shape, size| all.fit(pairs.declared, offset, shape, size);
    assert_eq!(fit(24, Shape::Float, 8), Fit::Fits);
    assert_eq!(fit(24 + 12, Shape::Integer, 4), Fit::Fits);
    let differs = Fit::Differs { part: "[1].second[1]".into(), declared: "int".into() };
    assert_eq!(fit(24 + 12, Shape::Float, 4), differs);
    // Bits have no place, and behind the array is nothing.
    assert_eq!(fit(20, Shape::Float, 4), Fit::Unknown);
    assert_eq!(fit(4 * 24, Shape::Float, 8), Fit::Unknown);
    assert_eq!(all.period(pairs.declared, 0, 96), Some(24));
    assert_eq!(all.period(pairs.declared, 32, 8), Some(4));
    let grid = program.variable("grid");
    assert_eq!(program.declarations.describe(grid.declared), "int[2][3]");
    assert_eq!(program.declarations.period(grid.declared, 4, 16), Some(4));
    let word = program.variable("word");
    let fit = |shape| program.declarations.fit(word.declared, 0, shape, 4);
    assert_eq!((fit(Shape::Integer), fit(Shape::Float)), (Fit::Fits, Fit::Fits));
}

#[test]
fn what_begins_in_padding_and_reaches_into_a_value_is_something_else() {
    let mut program = Compiled::new("padding", &[]);
    let gap = program.variable("gap");
    let fit = |offset, shape, size| program.declarations.fit(gap.declared, offset, shape, size);
    assert_eq!(fit(5, Shape::Float, 8), Fit::Differs { part: ".second".into(), declared: "double".into() });
    assert_eq!(fit(4, Shape::Integer, 4), Fit::Unknown);
    assert_eq!(fit(8, Shape::Float, 8), Fit::Fits);
}

/// The names of the variables that an instruction of `work` may have, for all of its instructions.
fn names(program: &mut Compiled) -> Option<Vec<Vec<String>>> {
    let start = program.symbol("work");
    let locals: Option<Vec<_>> = (start..start + 40).map(|at| program.declarations.locals(at)).collect();
    let names = |locals: Rc<Locals>| locals.iter().map(|local| local.name.clone()).collect();
    Some(locals?.into_iter().map(names).collect())
}

#[test]
fn variables_of_functions_are_known_where_the_compiler_keeps_them_apart() {
    let mut plain = Compiled::new("plain", &["-fno-stack-protector"]);
    let all = names(&mut plain).expect("it is not optimised");
    // The first block is not that of the inner variable, and the array's size is not constant.
    assert!(all.iter().all(|names| names.contains(&"own".to_string()) && !names.contains(&"lengths".to_string())));
    let (start, next) = (plain.symbol("work"), plain.symbol("main"));
    let has_inner = |at| plain.declarations.locals(at).is_some_and(|all| all.iter().any(|one| one.name == "inner"));
    let instructions: Vec<u64> = (start..next).collect();
    let inner = instructions.iter().copied().map(has_inner).filter(|&has| has).count();
    assert!(inner > 0 && inner < instructions.len());
    assert_eq!(names(&mut Compiled::new("fast", &["-O2"])), None);
    assert_eq!(names(&mut Compiled::new("protected", &["-fstack-protector-strong"])), None);
    let fast = names(&mut Compiled::new("apart", &["-O2", "-fstack-reuse=none"]));
    assert!(fast.is_some_and(|all| all.iter().all(|names| names.contains(&"own".to_string()))));
}

#[test]
fn a_file_without_debug_information_has_no_declarations() {
    assert!(Declarations::open(Path::new("/nonexistent/program")).is_none());
    assert!(Declarations::open(Path::new("/etc/passwd")).is_none());
}
