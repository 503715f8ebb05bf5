//! What an explorer does for process 0: it waits for tasks and has a worker do them, a child that is ended with what
//! is of no use any more, and whose end by a crash of the program is no end of this process.

use std::os::fd::OwnedFd;

use smpi_base::frames::{Frame, Kind};
use smpi_base::plan::{RunPlan, VerifyPlan};
use smpi_checker::walks::Memory;
use smpi_choices::Discovery;
use smpi_runtime::summary::Wall;

use super::{Hello, Label, Stream, packed, unpacked};
use crate::limits::interrupt;
use crate::options::limits;
use crate::processes::checkpoint::Context;
use crate::processes::checkpoint::identity::{self, Identity};
use crate::processes::parts_of_a_mode::Job;
use crate::processes::walks::{self, Walks};
use crate::processes::whole_mode::Whole;
use crate::processes::{Pool, Worker};
use crate::program::Program;
use crate::search::collect::Way;
use crate::trail;

/// A worker, what it was begun for, and what it does.
struct Busy {
    worker: Worker,
    context: Vec<u8>,
    label: Option<Label>,
}

/// Does tasks until the stream ends; returns the exit code.
pub fn serve(program: &mut Program, stream: OwnedFd, (plan, options): (&RunPlan, &VerifyPlan), wall: &Wall) -> i32 {
    let mut stream = Stream::new(stream);
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_string();
    let library = identity::library();
    let hello = Hello { machine, library, identity: Identity::here(plan, options, program) };
    stream.send(0, Kind::Ready, serde_json::to_vec(&hello).unwrap_or_default());
    let mut busy: Option<Busy> = None;
    while !stream.is_over() && !interrupt::wanted() {
        let worker = busy.as_ref().filter(|busy| busy.label.is_some()).map(|busy| busy.worker.descriptor());
        crate::processes::wait_for(&[Some(stream.descriptor()), worker].into_iter().flatten().collect::<Vec<_>>());
        for Frame { kind, bytes, .. } in stream.receive() {
            match kind {
                Kind::Cancel => busy = None,
                Kind::Task => begin(&mut busy, &bytes, program, &mut stream, (options, wall)),
                _ => {}
            }
        }
        let Some(Busy { worker, label, .. }) = &mut busy else { continue };
        let Some(done) = label.filter(|_| worker.has_answered()) else { continue };
        *label = None;
        match worker.take_answer() {
            Some((result, seen)) => {
                let seen = serde_json::to_vec(&seen).unwrap_or_default();
                stream.send(0, Kind::Answer, packed(done, &[&result, &seen]));
            }
            None => {
                busy = None;
                stream.send(0, Kind::Failed, packed(done, &[]));
            }
        }
    }
    0
}

/// Begins a task, with the worker that there is if that knows the same of the program.
fn begin(
    busy: &mut Option<Busy>,
    bytes: &[u8],
    program: &mut Program,
    stream: &mut Stream,
    (options, wall): (&VerifyPlan, &Wall),
) {
    let Some((label, [context, task])) = unpacked::<2>(bytes) else { return };
    // A process that was thought dead may get a task while it does another.
    busy.take_if(|busy| busy.context != context || busy.label.is_some());
    if busy.is_none() {
        let worker = serde_json::from_slice(context).ok().and_then(|known| start(program, &known, (options, wall)));
        *busy = worker.map(|worker| Busy { worker, context: context.to_vec(), label: None });
    }
    if let Some(busy) = busy
        && busy.worker.give(task)
    {
        busy.label = Some(label);
        return;
    }
    *busy = None;
    stream.send(0, Kind::Failed, packed(label, &[]));
}

/// Starts a worker that knows this of the program.
fn start(program: &mut Program, known: &Context, (options, wall): (&VerifyPlan, &Wall)) -> Option<Worker> {
    program.begin_by_executions(options);
    program.set_buffering(known.mode);
    program.foresee(&known.foreseen.iter().filter_map(|name| name.parse::<Discovery>().ok()).collect());
    let limits = limits(options, options.keep_going || known.wanted.is_some());
    let pool = Pool { mode: known.mode, options, wall, checkpoint: None, nodes: None };
    let (wanted, earlier) = (known.wanted.clone(), trail::Counts::default());
    if walks::goal(options.search).is_some() {
        let (walks, mut memory) = (Walks { pool, limits: &limits, wanted, earlier }, Memory::default());
        return pool.start(program, &mut |program, bytes| walks.work_on(program, bytes, &mut memory));
    }
    if options.stateful {
        let whole = Whole { pool, limits, wanted, earlier, way: Way::AsAsked };
        return pool.start(program, &mut |program, _| Some(whole.answer(program)));
    }
    let job = Job { pool, limits: &limits, wanted, earlier, way: Way::AsAsked };
    pool.start(program, &mut |program, bytes| job.work(program, bytes))
}
