//! Categories of variables and events (MPI 5.0 §15.3.9). They never change.

/// A category.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Category {
    /// All others are in it.
    All,
    /// Messages of the program.
    Messages,
    /// What waits in a rank's mailbox.
    Queues,
    /// How messages travel.
    Protocols,
    /// Collective operations.
    Collectives,
    /// Their algorithms.
    Algorithms,
    /// The simulated machine, and its time.
    Machine,
    /// What is looked for in the program.
    Checks,
}

/// All of them by their indices: name, description, and the one that they are in.
pub const ALL: [(Category, &str, &str, Option<Category>); 8] = [
    (Category::All, "smpi", "Everything that libsmpi tells tools.", None),
    (Category::Messages, "messages", "Messages between processes.", Some(Category::All)),
    (Category::Queues, "queues", "Messages and receives that wait for each other.", Some(Category::Messages)),
    (Category::Protocols, "protocols", "How messages of different sizes travel.", Some(Category::Messages)),
    (Category::Collectives, "collectives", "Collective operations.", Some(Category::All)),
    (Category::Algorithms, "algorithms", "Algorithms of collective operations.", Some(Category::Collectives)),
    (Category::Machine, "machine", "The simulated machine and its time.", Some(Category::All)),
    (Category::Checks, "checks", "What is looked for in programs.", Some(Category::All)),
];
