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
    let text = std::fs::read("/proc/self/maps").unwrap_or_default();
    text.split(|&byte| byte == b'\n').filter_map(Mapping::of_line).collect()
}

impl Mapping {
    /// `7f0000000000-7f0000001000 rw-p 00000000 00:01 12   /path`.
    fn of_line(line: &[u8]) -> Option<Mapping> {
        // A path may have blanks, too, but comes last.
        let mut words = line.split(|&byte| byte == b' ');
        let mut addresses = words.next()?.split(|&byte| byte == b'-').map(number);
        let (from, to) = (addresses.next()??, addresses.next()??);
        let letters = words.next()?;
        let flags = [(b'r', libc::PROT_READ), (b'w', libc::PROT_WRITE), (b'x', libc::PROT_EXEC)];
        let set = letters.iter().zip(flags).filter(|(letter, flag)| **letter == flag.0);
        let protection = set.fold(libc::PROT_NONE, |all, (_, flag)| all | flag.1);
        // Behind offset and device is the inode.
        let is_of_file = words.nth(2).is_some_and(|inode| inode != b"0");
        Some(Mapping { from, to, protection, is_of_file })
    }
}

/// A number in hexadecimal digits.
fn number(digits: &[u8]) -> Option<usize> {
    let digit = |&digit: &u8| char::from(digit).to_digit(16);
    digits.iter().try_fold(0, |number, next| Some(number << 4 | digit(next)? as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_the_kernel_writes_them() {
        let file =
            Mapping::of_line(b"7ffff7c28000-7ffff7dbd000 r-xp 00028000 08:01 1234    /usr/lib/libc.so.6").unwrap();
        assert_eq!((file.from, file.to), (0x7fff_f7c2_8000, 0x7fff_f7db_d000));
        assert_eq!((file.protection, file.is_of_file), (libc::PROT_READ | libc::PROT_EXEC, true));
        let none = Mapping::of_line(b"5000-6000 ---p 00000000 00:00 0 ").unwrap();
        assert_eq!((none.protection, none.is_of_file), (libc::PROT_NONE, false));
        assert!(Mapping::of_line(b"").is_none() && !mappings().is_empty());
    }
}
