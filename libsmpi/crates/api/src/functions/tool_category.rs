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
///
/// # Safety
/// `num_cat` must be null or valid for writing.
pub unsafe fn t_category_get_num(num_cat: *mut c_int) -> Result<()> {
    tool::check_started()?;
    // SAFETY: by MPI's contract `num_cat` is a place.
    unsafe { tool::put(num_cat, ALL.len() as c_int, "num_cat") }
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
///
/// # Safety
/// `num_events` must be null or valid for writing.
pub unsafe fn t_category_get_num_events(cat_index: c_int, num_events: *mut c_int) -> Result<()> {
    let category = category(cat_index)?;
    // SAFETY: by MPI's contract `num_events` is a place.
    unsafe { tool::put(num_events, category.events().len() as c_int, "num_events") }
}

/// `MPI_T_category_get_index`.
///
/// # Safety
/// `name` must be a string; `cat_index` must be null or valid for writing.
pub unsafe fn t_category_get_index(name: *const c_char, cat_index: *mut c_int) -> Result<()> {
    tool::check_started()?;
    // SAFETY: by MPI's contract `name` is a text, and `cat_index` a place.
    unsafe { tool::put(cat_index, tool::find(name, ALL.iter().map(|entry| entry.1))?, "cat_index") }
}

/// `MPI_T_category_get_cvars`.
///
/// # Safety
/// `indices` must have room for `len` numbers.
pub unsafe fn t_category_get_cvars(cat_index: c_int, len: c_int, indices: *mut c_int) -> Result<()> {
    let category = category(cat_index)?;
    // SAFETY: by MPI's contract `indices` has room for `len` numbers.
    unsafe { tool::tell_list(&category.controls(), len, indices) }
}

/// `MPI_T_category_get_pvars`.
///
/// # Safety
/// `indices` must have room for `len` numbers.
pub unsafe fn t_category_get_pvars(cat_index: c_int, len: c_int, indices: *mut c_int) -> Result<()> {
    let category = category(cat_index)?;
    // SAFETY: by MPI's contract `indices` has room for `len` numbers.
    unsafe { tool::tell_list(&category.performance(), len, indices) }
}

/// `MPI_T_category_get_events`.
///
/// # Safety
/// `indices` must have room for `len` numbers.
pub unsafe fn t_category_get_events(cat_index: c_int, len: c_int, indices: *mut c_int) -> Result<()> {
    let category = category(cat_index)?;
    // SAFETY: by MPI's contract `indices` has room for `len` numbers.
    unsafe { tool::tell_list(&category.events(), len, indices) }
}

/// `MPI_T_category_get_categories`.
///
/// # Safety
/// `indices` must have room for `len` numbers.
pub unsafe fn t_category_get_categories(cat_index: c_int, len: c_int, indices: *mut c_int) -> Result<()> {
    let category = category(cat_index)?;
    // SAFETY: by MPI's contract `indices` has room for `len` numbers.
    unsafe { tool::tell_list(&category.categories(), len, indices) }
}

/// `MPI_T_category_changed`.
///
/// # Safety
/// `update_number` must be null or valid for writing.
pub unsafe fn t_category_changed(update_number: *mut c_int) -> Result<()> {
    tool::check_started()?;
    // SAFETY: by MPI's contract `update_number` is a place.
    unsafe { tool::put(update_number, STAMP, "update_number") }
}
