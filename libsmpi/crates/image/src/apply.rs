//! Applies relocations to the memory file: their values, the choices of indirect functions, and what appears twice.

use crate::error::LoadError;
use crate::layout::Region;
use crate::members::Members;
use crate::memory_file::ImageWriter;
use crate::relocate::{Duplicate, Indirect, Relocations};
use std::ffi::c_void;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::ptr::null_mut;

/// Writes all values that are the same in every image. Afterwards `relocations.words` are all words that depend on the
/// rank.
pub(crate) fn apply(
    writer: &mut ImageWriter,
    members: &Members,
    file: &File,
    region: &Region,
    relocations: &mut Relocations,
) -> Result<(), LoadError> {
    for (address, bytes) in &relocations.copies {
        writer.write(*address, bytes);
    }
    for (address, value) in &relocations.fixed {
        writer.write(*address, &value.to_le_bytes());
    }
    choose_indirect(writer, members, file, region, relocations)?;
    duplicate(writer, relocations);
    Ok(())
}

/// Copies what appears twice, with the addresses in it, as the dynamic linker copies after relocation.
fn duplicate(writer: &mut ImageWriter, relocations: &mut Relocations) {
    relocations.words.sort_unstable();
    let mut more = Vec::new();
    for &Duplicate { from, to, len } in &relocations.duplicates {
        writer.duplicate(from, to, len);
        let end = from + len as u64;
        let first = relocations.words.partition_point(|&word| word < from);
        let inside = relocations.words[first..].iter().take_while(|&&word| word < end);
        more.extend(inside.map(|word| word - from + to));
    }
    relocations.words.extend(more);
}

/// Runs the resolvers of indirect functions once, in a scratch image, and stores what they chose.
fn choose_indirect(
    writer: &mut ImageWriter,
    members: &Members,
    file: &File,
    region: &Region,
    relocations: &mut Relocations,
) -> Result<(), LoadError> {
    if relocations.indirect.is_empty() {
        return Ok(());
    }
    let scratch = map_scratch(members, file, region)?;
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
        writer.write(address, &(value as u64).to_le_bytes());
        if own {
            relocations.words.push(address);
        }
    }
    // SAFETY: unmaps exactly the scratch image; what the resolvers chose in it has become image addresses.
    unsafe { libc::munmap(scratch as *mut c_void, region.image_len) };
    Ok(())
}

/// Maps a copy of the image that is thrown away; answers its address.
fn map_scratch(members: &Members, file: &File, region: &Region) -> Result<usize, LoadError> {
    let protection = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
    let offset = region.image_offset as libc::off_t;
    // SAFETY: a new private mapping at an address that the kernel chooses, so it replaces nothing.
    let scratch = unsafe {
        libc::mmap(null_mut(), region.image_len, protection, libc::MAP_PRIVATE, file.as_raw_fd(), offset) as usize
    };
    if scratch == libc::MAP_FAILED as usize {
        let error = std::io::Error::last_os_error();
        let action = "map it to choose indirect functions";
        return Err(LoadError::Io { path: members.path().into(), action, error });
    }
    Ok(scratch)
}
