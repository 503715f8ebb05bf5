//! Which generated file a function goes to: one for each chapter of the standard, small enough to be read.

/// Chapter file, what it holds, and the name parts that put a function there; the first match decides.
///
/// A pattern is a prefix of the name without `MPI_`, or, with a leading `*`, a suffix.
const CHAPTERS: &[(&str, &str, &[&str])] = &[
    ("tool", "the tool information interface, MPI 5.0 §15", &["T_"]),
    (
        "handles",
        "handle and status conversion, MPI 5.0 §19.3 and §20",
        &["*_toint", "*_fromint", "*_c2f", "*_f2c", "*2f08", "*_f082c", "*_f082f"],
    ),
    (
        "error",
        "error handlers, codes and classes, MPI 5.0 §9.3-9.5",
        &["*_errhandler", "Errhandler_", "Error_", "Add_error", "Remove_error"],
    ),
    (
        "io_view",
        "files, views, positions and consistency, MPI 5.0 §14.2-14.3, §14.5-14.6",
        &[
            "File_open",
            "File_close",
            "File_delete",
            "File_set",
            "File_get",
            "File_preallocate",
            "File_seek",
            "File_sync",
            "Register_",
        ],
    ),
    (
        "io_nonblocking",
        "nonblocking and split data access of files, MPI 5.0 §14.4",
        &["File_i", "*_begin", "*_begin_c", "*_end"],
    ),
    ("io", "blocking data access of files, MPI 5.0 §14.4", &["File_"]),
    ("neighbor", "collective communication on topologies, MPI 5.0 §8.6-8.8", &["Neighbor_", "Ineighbor_"]),
    ("topology", "process topologies, MPI 5.0 §8.5", &["Cart", "Graph", "Dist_", "Dims_", "Topo_"]),
    ("attribute", "attribute caching, MPI 5.0 §7.7 and §16", &["*_attr", "*_keyval", "Attr_", "Keyval_"]),
    ("partitioned", "partitioned communication, MPI 5.0 §4", &["P"]),
    (
        "collective_persistent",
        "persistent collective communication, MPI 5.0 §6.13",
        &[
            "Allgather_init",
            "Allgatherv_init",
            "Allreduce_init",
            "Alltoall_init",
            "Alltoallv_init",
            "Alltoallw_init",
            "Barrier_init",
            "Bcast_init",
            "Exscan_init",
            "Gather_init",
            "Gatherv_init",
            "Reduce_init",
            "Reduce_scatter_init",
            "Reduce_scatter_block_init",
            "Scan_init",
            "Scatter_init",
            "Scatterv_init",
        ],
    ),
    (
        "collective_nonblocking",
        "nonblocking collective communication, MPI 5.0 §6.12",
        &["Iall", "Ibarrier", "Ibcast", "Iexscan", "Igather", "Ireduce", "Iscan", "Iscatter"],
    ),
    (
        "collective",
        "blocking collective communication and reductions, MPI 5.0 §6",
        &[
            "Allgather",
            "Allreduce",
            "Alltoall",
            "Barrier",
            "Bcast",
            "Exscan",
            "Gather",
            "Reduce",
            "Scan",
            "Scatter",
            "Op_",
        ],
    ),
    (
        "datatype_create",
        "datatype constructors, MPI 5.0 §5.1",
        &["Type_create_", "Type_contiguous", "Type_indexed", "Type_vector", "Type_dup"],
    ),
    (
        "datatype",
        "datatypes, addresses and packing, MPI 5.0 §5",
        &["Type_", "Pack", "Unpack", "Get_address", "Aint_", "Get_elements"],
    ),
    ("rma_window", "windows and their synchronisation, MPI 5.0 §12.2, §12.5", &["Win_"]),
    (
        "rma",
        "one-sided communication, MPI 5.0 §12",
        &["Put", "Rput", "Get_accumulate", "Rget", "Accumulate", "Raccumulate", "Fetch_", "Compare_"],
    ),
    (
        "process",
        "process creation and ports, MPI 5.0 §11.7-11.10",
        &[
            "Comm_spawn",
            "Comm_accept",
            "Comm_connect",
            "Comm_disconnect",
            "Comm_get_parent",
            "Comm_join",
            "Close_port",
            "Open_port",
            "Lookup_",
            "Unpublish",
        ],
    ),
    ("buffer", "buffers of the buffered mode, MPI 5.0 §3.6", &["Buffer_", "*_buffer", "*_buffer_c"]),
    ("comm", "communicators, MPI 5.0 §7.4-7.6, §7.8", &["Comm_", "Intercomm_"]),
    ("group", "groups, MPI 5.0 §7.3", &["Group_"]),
    ("info", "info objects, MPI 5.0 §10", &["Info_"]),
    ("session", "sessions, MPI 5.0 §11.3", &["Session_"]),
    (
        "environment",
        "start, end and enquiry, MPI 5.0 §9, §11.2, §20",
        &[
            "Init",
            "Final",
            "Abort",
            "Abi_",
            "Get_version",
            "Get_library",
            "Get_processor",
            "Get_hw",
            "Alloc_mem",
            "Free_mem",
            "Is_thread",
            "Query_thread",
            "Wti",
        ],
    ),
    (
        "request",
        "completion, status, generalized requests, MPI 5.0 §3.7-3.9, §13",
        &["Wait", "Test", "Start", "Request_", "Grequest_", "Status_", "Cancel", "Get_count"],
    ),
    ("p2p", "point-to-point communication, MPI 5.0 §3", &[""]),
];

/// Functions that only look like one of `CHAPTERS`' prefixes.
const CHAPTER_EXCEPTIONS: &[(&str, &str)] = &[
    ("MPI_Get", "rma"),
    ("MPI_Get_c", "rma"),
    ("MPI_Pack", "datatype"),
    ("MPI_Pack_c", "datatype"),
    ("MPI_Pack_size", "datatype"),
    ("MPI_Pack_size_c", "datatype"),
    ("MPI_Pack_external", "datatype"),
    ("MPI_Pack_external_c", "datatype"),
    ("MPI_Pack_external_size", "datatype"),
    ("MPI_Pack_external_size_c", "datatype"),
    ("MPI_Pcontrol", "environment"),
    ("MPI_Probe", "p2p"),
    ("MPI_Publish_name", "process"),
    ("MPI_Put", "rma"),
    ("MPI_Put_c", "rma"),
];

/// The chapters' files without extension, in the order of the header.
pub fn chapter_files() -> impl Iterator<Item = &'static str> {
    CHAPTERS.iter().rev().map(|(file, ..)| *file)
}

/// The file of a function (without extension), and what that file holds.
pub fn chapter(name: &str) -> (&'static str, &'static str) {
    let exception = CHAPTER_EXCEPTIONS.iter().find(|(n, _)| *n == name).map(|(_, file)| *file);
    let short = name.trim_start_matches("MPI_");
    let fits = |pattern: &&str| match pattern.strip_prefix('*') {
        Some(suffix) => short.ends_with(suffix),
        None => short.starts_with(*pattern),
    };
    let found = CHAPTERS.iter().find(|(file, _, patterns)| match exception {
        Some(wanted) => *file == wanted,
        None => patterns.iter().any(fits),
    });
    found.map_or(("p2p", ""), |(file, title, _)| (file, title))
}
