//! Gives an image its values: what relocations say, what indirect functions choose, and what appears twice.

use crate::error::LoadError;
use crate::flatten::Canvas;
use crate::layout::Region;
use crate::members::Members;
use crate::relocate::{Duplicate, Indirect, Relocations};
use std::ffi::c_void;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::ptr::null_mut;

/// Writes all that is the same in every image; `relocations.words` are all words that depend on the rank afterwards.
pub(crate) fn settle(
    canvas: &mut Canvas,
    members: &Members,
    file: &File,
    region: &Region,
    relocations: &mut Relocations,
) -> Result<(), LoadError> {
    for (address, bytes) in &relocations.copies {
        canvas.write(*address, bytes);
    }
    for (address, value) in &relocations.fixed {
        canvas.write(*address, &value.to_le_bytes());
    }
    settle_indirect(canvas, members, file, region, relocations)?;
    duplicate(canvas, relocations);
    Ok(())
}

/// Copies what appears twice, with the addresses in it, as the dynamic linker copies after relocation.
fn duplicate(canvas: &mut Canvas, relocations: &mut Relocations) {
    relocations.words.sort_unstable();
    let mut more = Vec::new();
    for &Duplicate { from, to, len } in &relocations.duplicates {
        canvas.duplicate(from, to, len);
        let end = from + len as u64;
        let first = relocations.words.partition_point(|&word| word < from);
        let inside = relocations.words[first..].iter().take_while(|&&word| word < end);
        more.extend(inside.map(|word| word - from + to));
    }
    relocations.words.extend(more);
}

/// Runs the resolvers of indirect functions once, in a scratch image, and stores what they chose.
fn settle_indirect(
    canvas: &mut Canvas,
    members: &Members,
    file: &File,
    region: &Region,
    relocations: &mut Relocations,
) -> Result<(), LoadError> {
    if relocations.indirect.is_empty() {
        return Ok(());
    }
    let protection = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
    let offset = region.image_offset as libc::off_t;
    // SAFETY: a new private mapping at an address that the kernel chooses, so it replaces nothing.
    let scratch = unsafe {
        libc::mmap(null_mut(), region.image_len, protection, libc::MAP_PRIVATE, file.as_raw_fd(), offset) as usize
    };
    if scratch == libc::MAP_FAILED as usize {
        let error = std::io::Error::last_os_error();
        return Err(LoadError::Io {
            path: members.path().into(),
            action: "map it to choose indirect functions",
            error,
        });
    }
    let bias = scratch.wrapping_sub(members.first_address() as usize);
    for &address in &relocations.words {
        let word = bias.wrapping_add(address as usize) as *mut usize;
        // SAFETY: `relocate` has checked that the word lies in a segment of a file of the image, all of which is in the
        // scratch image just mapped.
        unsafe { word.write_unaligned(word.read_unaligned().wrapping_add(bias)) };
    }
    for Indirect { address, resolver } in std::mem::take(&mut relocations.indirect) {
        let resolver = bias.wrapping_add(resolver as usize);
        // SAFETY: `relocate` has checked that the address is in code, and the file says that a resolver is there, whose
        // type the psABI fixes. The scratch image is relocated except for other indirect functions, which a resolver
        // must not call. It is trusted like the program itself.
        let chosen = unsafe { std::mem::transmute::<usize, extern "C" fn() -> usize>(resolver)() };
        let own = chosen.wrapping_sub(scratch) < region.image_len;
        let value = if own { chosen.wrapping_sub(bias) } else { chosen };
        canvas.write(address, &(value as u64).to_le_bytes());
        if own {
            relocations.words.push(address);
        }
    }
    // SAFETY: unmaps exactly the scratch image; what the resolvers chose in it has become image addresses.
    unsafe { libc::munmap(scratch as *mut c_void, region.image_len) };
    Ok(())
}
