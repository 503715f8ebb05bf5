//! What memory this process has.

/// A piece of memory, as the kernel has it.
pub struct Mapping {
    /// Its first address.
    pub from: usize,
    /// The first one behind it.
    pub to: usize,
    /// What may be done with it: `PROT_…` of mmap(2).
    pub protection: i32,
    /// There is a file behind it.
    pub is_of_file: bool,
}

/// The mappings of this process (proc_pid_maps(5)).
pub fn mappings() -> Vec<Mapping> {
    let text = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let parse = |line: &str| {
        let (range, rest) = line.split_once(' ')?;
        let (from, to) = range.split_once('-')?;
        let number = |text| usize::from_str_radix(text, 16).ok();
        let flags = [('r', libc::PROT_READ), ('w', libc::PROT_WRITE), ('x', libc::PROT_EXEC)];
        let has = |&(letter, _): &(char, i32)| rest.chars().take(3).any(|c| c == letter);
        let protection = flags.iter().filter(|flag| has(flag)).fold(libc::PROT_NONE, |all, flag| all | flag.1);
        // Offset, device, inode.
        let is_of_file = rest.split_ascii_whitespace().nth(3).is_some_and(|inode| inode != "0");
        Some(Mapping { from: number(from)?, to: number(to)?, protection, is_of_file })
    };
    text.lines().filter_map(parse).collect()
}
