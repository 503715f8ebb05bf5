//! Random walks: an operation is what the interpreter `memory_script.c` reads.

use smpi_base::rng::Rng;
use std::fmt;

/// What blocks are made of.
const KINDS: [char; 11] = ['m', 'c', 'a', 'n', 'F', 'D', 'S', 'A', 'W', 'H', 'b'];
/// What is done to mappings only.
const OF_MAPPINGS: [char; 10] = ['u', 'U', 'i', 'p', 'q', 'o', 'd', 'e', 'v', 'M'];
/// Receives of any source.
pub const RECEIVES: [char; 4] = ['R', 'T', 'P', 'I'];

/// All letters with what they are called in tables.
const NAMES: [(char, &str); 33] = [
    ('m', "malloc"),
    ('c', "calloc"),
    ('a', "posix_memalign"),
    ('n', "mmap private"),
    ('F', "mmap of a memfd"),
    ('D', "mmap of a file"),
    ('S', "mmap shared"),
    ('A', "MPI_Alloc_mem"),
    ('W', "MPI_Win_allocate"),
    ('H', "MPI_Win_allocate_shared"),
    ('b', "sbrk"),
    ('r', "realloc"),
    ('x', "mremap"),
    ('u', "munmap end"),
    ('U', "munmap begin"),
    ('i', "munmap middle"),
    ('p', "mprotect none"),
    ('q', "mprotect read"),
    ('o', "mprotect both"),
    ('d', "madvise dontneed"),
    ('e', "madvise dontneed end"),
    ('v', "madvise free"),
    ('M', "mmap fixed"),
    ('f', "free, munmap"),
    ('w', "write all"),
    ('z', "write a byte"),
    ('k', "check"),
    ('K', "check all"),
    ('t', "malloc_trim"),
    ('g', "globals"),
    ('l', "thread-locals"),
    ('y', "stack"),
    ('s', "send"),
];

/// Blocks of a rank; the interpreter's `BLOCKS`.
const BLOCKS: usize = 12;
/// Bytes that the blocks of one rank may have together.
const MOST_BYTES: u64 = 96 << 20;
/// A block of so many bytes is large: there is one of them in a program.
const LARGE: u64 = 4 << 20;

/// One operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Op {
    /// What is done.
    pub letter: char,
    /// To which block; the receiver of a send.
    pub number: usize,
    /// Bytes.
    pub size: u64,
}

impl Op {
    /// True for operations that messages are made of.
    pub fn is_message(&self) -> bool {
        self.letter == 's' || RECEIVES.contains(&self.letter)
    }

    /// Its name in tables.
    pub fn name(&self) -> &'static str {
        NAMES.iter().find(|entry| entry.0 == self.letter).map_or("receive", |entry| entry.1)
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.letter, self.number)?;
        if self.size > 0 { write!(f, ".{}", self.size) } else { Ok(()) }
    }
}

/// What happens at the end of rank 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Nothing.
    Right,
    /// An assertion fails if messages came from these ranks.
    Planted(String),
    /// The same, and block 0 is all that knows.
    Secret(String),
}

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Walks {
    /// The operations of every rank; rank 0 receives.
    pub ranks: Vec<Vec<Op>>,
    /// Whether there is something to be found.
    pub ending: Ending,
}

impl Walks {
    /// Reads what [`Walks::words`] gives, with blanks between the words.
    ///
    /// # Errors
    /// Text for what cannot be read.
    pub fn parse(text: &str) -> Result<Walks, String> {
        let mut ending = Ending::Right;
        let mut ranks = Vec::new();
        for word in text.split_whitespace() {
            match word.split_once('=') {
                Some(("planted", order)) => ending = Ending::Planted(order.into()),
                Some(("secret", order)) => ending = Ending::Secret(order.into()),
                _ => ranks.push(word.split(',').filter(|op| *op != "-").map(parse_op).collect::<Result<_, _>>()?),
            }
        }
        Ok(Walks { ranks, ending })
    }

    /// The interpreter's arguments.
    pub fn words(&self) -> Vec<String> {
        let ending = match &self.ending {
            Ending::Right => None,
            Ending::Planted(order) => Some(format!("planted={order}")),
            Ending::Secret(order) => Some(format!("secret={order}")),
        };
        let word = |ops: &Vec<Op>| ops.iter().map(Op::to_string).collect::<Vec<_>>().join(",");
        let words = self.ranks.iter().map(word).map(|word| if word.is_empty() { "-".into() } else { word });
        ending.into_iter().chain(words).collect()
    }

    /// The same without anything but messages: it has as many executions.
    pub fn skeleton(&self) -> Walks {
        let only = |ops: &Vec<Op>| ops.iter().copied().filter(Op::is_message).collect();
        Walks { ranks: self.ranks.iter().map(only).collect(), ending: Ending::Right }
    }

    /// In how many orders the messages can come; nothing where polls make more executions of one order.
    pub fn orders(&self) -> Option<u64> {
        let count = |ops: &[Op]| ops.iter().filter(|op| op.letter == 's').count() as u64;
        let factorial = |n: u64| (1..=n).product::<u64>();
        let counts: Vec<u64> = self.ranks.iter().map(|ops| count(ops)).collect();
        let orders = factorial(counts.iter().sum()) / counts.iter().map(|&n| factorial(n)).product::<u64>();
        self.ranks[0].iter().all(|op| !op.is_message() || op.letter == 'R').then_some(orders)
    }

    /// Programs with less; messages stay. The first have much less.
    pub fn smaller(&self) -> Vec<Walks> {
        let mut all = Vec::new();
        let is_kept = |rank, at| {
            let is_secret = matches!(self.ending, Ending::Secret(_)) && (rank, at) == (0, 0);
            self.ranks[rank][at].is_message() || is_secret
        };
        for part in [2, 4, 8, usize::MAX] {
            for (rank, ops) in self.ranks.iter().enumerate() {
                let length = ops.len().div_ceil(part).max(1);
                for begin in (0..ops.len()).step_by(length) {
                    let mut less = self.clone();
                    let mut at = 0..ops.len();
                    let gone = begin..begin + length;
                    less.ranks[rank].retain(|_| at.next().is_none_or(|at| is_kept(rank, at) || !gone.contains(&at)));
                    if less != *self {
                        all.push(less);
                    }
                }
            }
        }
        for (rank, ops) in self.ranks.iter().enumerate() {
            for (at, op) in ops.iter().enumerate() {
                let mut less = self.clone();
                match op.letter {
                    'T' | 'P' | 'I' => less.ranks[rank][at].letter = 'R',
                    _ if op.size > 4096 => less.ranks[rank][at].size = op.size / 2,
                    _ => continue,
                }
                all.push(less);
            }
        }
        all
    }
}

fn parse_op(text: &str) -> Result<Op, String> {
    let wrong = || format!("`{text}` is no operation");
    let letter = text.chars().next().ok_or_else(wrong)?;
    let (number, size) = text[letter.len_utf8()..].split_once('.').unwrap_or((&text[letter.len_utf8()..], "0"));
    let number = if number.is_empty() { 0 } else { number.parse().map_err(|_| wrong())? };
    Ok(Op { letter, number, size: size.parse().map_err(|_| wrong())? })
}

/// The blocks that a rank has while its word is made.
struct Rank {
    blocks: [Option<(char, u64)>; BLOCKS],
    /// Larger blocks are not made.
    most: u64,
}

impl Rank {
    fn size(&mut self, rng: &mut Rng) -> u64 {
        const SPECIAL: [u64; 8] = [1, 4096, 8192, 131_072, 1 << 20, (1 << 20) + 1, 2 << 20, 4 << 20];
        let size = match rng.below(5) {
            0 => SPECIAL[rng.below(SPECIAL.len())],
            // One in twenty may have up to 64 MiB, which takes its time.
            1 if rng.below(4) == 0 => 1 + rng.next_u64() % (64 << 20),
            _ => 1 + (rng.next_u64() % (1 << (1 + rng.below(22)))),
        };
        let alive: u64 = self.blocks.iter().flatten().map(|block| block.1).sum();
        let size = if size > self.most || alive + size > MOST_BYTES { 1 + size % 20_000 } else { size };
        if size >= LARGE {
            self.most = LARGE / 4;
        }
        size
    }

    fn make(&mut self, rng: &mut Rng, number: usize) -> Op {
        // Every second block is the allocator's, because that is where most memory of programs is.
        let letter = if rng.below(2) == 0 { KINDS[rng.below(3)] } else { KINDS[rng.below(KINDS.len())] };
        let size = self.size(rng);
        self.blocks[number] = Some((letter, size));
        Op { letter, number, size }
    }

    fn op(&mut self, rng: &mut Rng) -> Op {
        let number = rng.below(BLOCKS);
        let plain = |letter| Op { letter, number: 0, size: 0 };
        let Some((kind, _)) = self.blocks[number] else {
            return match rng.below(8) {
                0 => plain(['t', 'g', 'l', 'K'][rng.below(4)]),
                1 => Op { letter: 'y', number: 0, size: 1 + rng.next_u64() % (1 << (3 + rng.below(15))) },
                _ => self.make(rng, number),
            };
        };
        let is_heap = ['m', 'c', 'a'].contains(&kind);
        let is_mapping = ['n', 'F', 'D', 'S'].contains(&kind);
        let letter = match rng.below(6) {
            0 | 1 if is_mapping => OF_MAPPINGS[rng.below(OF_MAPPINGS.len())],
            0 if is_heap => 'r',
            2 if is_mapping => 'x',
            3 => ['w', 'k'][rng.below(2)],
            4 => 'z',
            _ => 'f',
        };
        let size = if ['r', 'x'].contains(&letter) { self.size(rng) } else { 0 };
        match letter {
            'f' => self.blocks[number] = None,
            'r' | 'x' => self.blocks[number] = Some((kind, size)),
            // The second half of it is a block, too; the interpreter knows which.
            'i' => drop(self.blocks.iter_mut().find(|block| block.is_none()).map(|free| *free = Some((kind, 1)))),
            _ => {}
        }
        Op { letter, number, size }
    }

    fn walk(&mut self, rng: &mut Rng, most: usize) -> Vec<Op> {
        (0..rng.below(most + 1)).map(|_| self.op(rng)).collect()
    }
}

/// The program of a seed.
pub fn program(seed: u64) -> Walks {
    let mut rng = Rng::new(seed ^ 0x3a5_0f0b);
    let ranks = 3 + rng.below(4) / 3;
    let mut messages: Vec<usize> = (1..ranks).collect();
    (0..rng.below(3)).for_each(|_| messages.push(1 + rng.below(ranks - 1)));
    let mut words = vec![Vec::new()];
    let mut first = Rank { blocks: [None; BLOCKS], most: 64 << 20 };
    let secret = rng.below(4) == 0;
    if secret {
        let mut block = first.make(&mut rng, 0);
        block.size = block.size.max(4096);
        words[0].push(block);
        first.blocks[0] = Some((' ', block.size));
    }
    words[0].extend(first.walk(&mut rng, 6));
    let polls = rng.below(3);
    for index in 0..messages.len() {
        let letter = if index < polls { RECEIVES[rng.below(4)] } else { 'R' };
        words[0].push(Op { letter, number: 0, size: 0 });
        words[0].extend(first.walk(&mut rng, 5));
    }
    for sender in 1..ranks {
        let mut rank = Rank { blocks: [None; BLOCKS], most: 4 << 20 };
        let mut word = rank.walk(&mut rng, 3);
        for _ in messages.iter().filter(|&&message| message == sender) {
            word.push(Op { letter: 's', number: 0, size: 0 });
            word.extend(rank.walk(&mut rng, 2));
        }
        words.push(word);
    }
    rng.shuffle(&mut messages);
    let order: String = messages.iter().map(usize::to_string).collect();
    let ending = match rng.below(3) {
        _ if secret => Ending::Secret(order),
        0 => Ending::Planted(order),
        _ => Ending::Right,
    };
    Walks { ranks: words, ending }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_and_written() {
        for seed in 0..200 {
            let walks = program(seed);
            assert_eq!(Walks::parse(&walks.words().join(" ")).unwrap(), walks);
            assert!(walks.ranks.iter().flatten().all(|op| op.is_message() || op.name() != "receive"));
        }
        assert!(Walks::parse("m0.x -").is_err());
    }

    #[test]
    fn orders_of_messages_are_counted() {
        let orders = |text: &str| Walks::parse(text).unwrap().orders();
        assert_eq!(orders("R,m0.5,R,R s0,s0 s0"), Some(3));
        assert_eq!(orders("R,T s0 s0"), None);
    }

    #[test]
    fn less_is_no_other_order() {
        let walks = Walks::parse("secret=12 m0.5000,R,t0,P s0 s0").unwrap();
        assert!(walks.smaller().iter().all(|less| less.ranks[0][0].letter == 'm' && less.ranks[1].len() == 1));
        assert!(walks.smaller().iter().any(|less| less.words().join(" ") == "secret=12 m0.5000,R0,P0 s0 s0"));
    }
}
