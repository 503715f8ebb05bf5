//! Categories of variables and events (MPI 5.0 §15.3.9).

use std::ffi::{c_char, c_int};

use smpi_mpi::error::Result;

use crate::tool;
use smpi_runtime::tool::category::{ALL, Category};

/// The stamp of what there is: nothing changes in a run.
const STAMP: c_int = 1;

fn category(index: c_int) -> Result<Category> {
    tool::check_started()?;
    Ok(ALL[tool::index(index, ALL.len(), "cat_index")?].0)
}

/// `MPI_T_category_get_num`.
pub fn t_category_get_num() -> Result<c_int> {
    tool::check_started()?;
    Ok(ALL.len() as c_int)
}

/// `MPI_T_category_get_info`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn t_category_get_info(
    cat_index: c_int,
    name: *mut c_char,
    name_len: *mut c_int,
    desc: *mut c_char,
    desc_len: *mut c_int,
    num_cvars: *mut c_int,
    num_pvars: *mut c_int,
    num_categories: *mut c_int,
) -> Result<()> {
    let category = category(cat_index)?;
    let (_, its_name, description, _) = ALL[category as usize];
    // SAFETY: by MPI's contract these are places or null, and the texts have as much room as said.
    unsafe {
        tool::tell_text(its_name, name, name_len);
        tool::tell_text(description, desc, desc_len);
        tool::tell(num_cvars, category.controls().len() as c_int);
        tool::tell(num_pvars, category.performance().len() as c_int);
        tool::tell(num_categories, category.categories().len() as c_int);
    }
    Ok(())
}

/// `MPI_T_category_get_num_events`.
pub fn t_category_get_num_events(cat_index: c_int) -> Result<c_int> {
    let category = category(cat_index)?;
    Ok(category.events().len() as c_int)
}

/// `MPI_T_category_get_index`.
///
/// # Safety
/// `name` must be a string; `cat_index` must be null or valid for writing.
pub unsafe fn t_category_get_index(name: *const c_char) -> Result<c_int> {
    tool::check_started()?;
    // SAFETY: by MPI's contract `name` is a text.
    unsafe { tool::find(name, ALL.iter().map(|entry| entry.1)) }
}

/// Indices of the members of one kind that a category has.
///
/// # Safety
/// By MPI's contract `indices` has room for `len` numbers.
pub unsafe fn tell_members(
    cat_index: c_int,
    members: fn(Category) -> Vec<usize>,
    len: c_int,
    indices: *mut c_int,
) -> Result<()> {
    let category = category(cat_index)?;
    // SAFETY: by MPI's contract `indices` has room for `len` numbers.
    unsafe { tool::tell_list(&members(category), len, indices) }
}

/// `MPI_T_category_changed`.
pub fn t_category_changed() -> Result<c_int> {
    tool::check_started()?;
    Ok(STAMP)
}
