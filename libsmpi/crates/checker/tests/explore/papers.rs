//! The papers' programs with exact counts, and small programs that show one thing each.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::ends;
use super::model::choosing::Choosing;
use super::model::eager::Eager;
use super::model::program::{Buffering, Mode, Op, Outcome, Program};
use smpi_checker::{Event, Flow, Limits, Observer, ReplayError, Settled, Stop, Token, Verdict};
use smpi_checker::{explore, replay};
use smpi_mailbox::Pattern;

const ANY: Pattern = Pattern { context: 0, source: None, tag: None };

fn from(source: u32) -> Pattern {
    Pattern { source: Some(source), ..ANY }
}

fn send(to: u32) -> Op {
    Op::Send { to, context: 0, tag: 0, mode: Mode::Standard }
}

fn isend(to: u32) -> Op {
    Op::Isend { to, context: 0, tag: 0, mode: Mode::Standard }
}

fn program(ranks: Vec<Vec<Op>>, zero_buffering: bool) -> Rc<Program> {
    let members = vec![false; ranks.len()];
    let buffering = if zero_buffering { Buffering::Zero } else { Buffering::Infinite };
    Rc::new(Program { ranks, members, buffering })
}

/// "SimGrid MC", listing 4.3: all others send to rank 0.
pub fn gather(ranks: u32, zero_buffering: bool) -> Rc<Program> {
    let mut code = vec![vec![Op::Recv(ANY); ranks as usize - 1]];
    code.resize(ranks as usize, vec![send(0)]);
    program(code, zero_buffering)
}

/// "SimGrid MC", listing 4.4: groups of three, each with one receiver.
pub fn groups(ranks: u32, zero_buffering: bool) -> Rc<Program> {
    let code = |rank: u32| if rank.is_multiple_of(3) { vec![Op::Recv(ANY); 2] } else { vec![send(rank / 3 * 3)] };
    program((0..ranks).map(code).collect(), zero_buffering)
}

#[derive(Default)]
struct Ends(BTreeSet<Outcome>);

impl Observer<Choosing> for Ends {
    fn execution(&mut self, system: &mut Choosing, _: Settled, _: &[Event]) -> Flow {
        self.0.insert(system.outcome());
        Flow::Continue
    }
}

fn run(program: &Rc<Program>, keep_going: bool) -> (Verdict, usize) {
    let mut ends = Ends::default();
    let limits = Limits { keep_going, ..Limits::default() };
    let verdict = explore(&mut Choosing::new(Rc::clone(program)), &limits, &mut ends);
    (verdict, ends.0.len())
}

/// Explores everything and checks that it is complete, without errors, and this many executions.
fn complete(program: &Rc<Program>, executions: u64) -> Verdict {
    let (verdict, ends) = run(program, false);
    assert!(verdict.complete && verdict.errors == 0, "{verdict:?}");
    assert_eq!(verdict.stats.executions, executions, "{verdict:?}");
    assert!(ends as u64 <= executions);
    verdict
}

#[test]
fn every_order_of_n_senders_once() {
    for zero_buffering in [false, true] {
        for (ranks, executions) in [(2, 1), (3, 2), (4, 6), (5, 24), (6, 120), (7, 720)] {
            let verdict = complete(&gather(ranks, zero_buffering), executions);
            assert_eq!((verdict.stats.expansions, verdict.stats.revisits), (0, 0));
        }
    }
}

#[test]
fn independent_groups() {
    for (ranks, executions) in [(3, 2), (6, 4), (9, 8)] {
        for zero_buffering in [false, true] {
            complete(&groups(ranks, zero_buffering), executions);
        }
    }
}

#[test]
fn the_assertion_of_listing_4_3_fails_in_the_first_execution_that_ends_with_another_rank() {
    let mut code = vec![vec![Op::Recv(ANY); 3]];
    // The last message must not come from rank 2.
    code[0].push(Op::AssertNot(32));
    code.resize(4, vec![send(0)]);
    let program = program(code, false);
    let (verdict, _) = run(&program, false);
    assert_eq!((verdict.stopped, verdict.complete, verdict.errors), (Some(Stop::Error), false, 1));
    assert_eq!(verdict.stats.executions, 2);
    let (verdict, _) = run(&program, true);
    assert_eq!((verdict.complete, verdict.errors, verdict.stats.executions), (true, 2, 6));
}

#[test]
fn figures_4_and_5_of_a_simple_model_of_communication_apis() {
    complete(&gather(4, false), 6);
    let reduce = program(vec![vec![Op::Recv(ANY); 4], vec![send(0); 2], vec![send(0); 2]], false);
    complete(&reduce, 6);
}

#[test]
fn figures_1_and_2_of_the_waitany_paper() {
    let ranks = |code: Vec<Op>| program(vec![code, vec![isend(0), Op::Waitall], vec![isend(0), Op::Waitall]], false);
    complete(&ranks(vec![Op::Irecv(from(1)), Op::Irecv(from(2)), Op::Waitany, Op::Waitany]), 2);
    // 2(b): Waitany may return the send while the receive is still open to rank 2, which sends after the barrier.
    for zero_buffering in [false, true] {
        let conflict = program(
            vec![
                vec![Op::Irecv(ANY), isend(1), Op::Waitany, Op::Barrier(0), Op::Waitany],
                vec![Op::Irecv(from(0)), isend(0), Op::Barrier(0)],
                vec![Op::Barrier(0), isend(0)],
            ],
            zero_buffering,
        );
        let (verdict, ends) = run(&conflict, false);
        assert_eq!((verdict.stats.executions, ends), (3, 3));
        assert!(verdict.stats.expansions > 0);
    }
}

#[test]
fn programs_without_choices_have_one_execution() {
    for ranks in [4, 16, 64] {
        let code = |rank: u32| {
            let (left, right) = ((rank + ranks - 1) % ranks, (rank + 1) % ranks);
            let exchange = [Op::Irecv(from(left)), Op::Irecv(from(right)), isend(left), isend(right), Op::Waitall];
            let mut code = vec![Op::Barrier(0)];
            (0..3).for_each(|_| code.extend(exchange.iter().copied().chain([Op::Barrier(0)])));
            code
        };
        for zero_buffering in [false, true] {
            let verdict = complete(&program((0..ranks).map(code).collect(), zero_buffering), 1);
            assert_eq!((verdict.stats.transitions, verdict.stats.configurations), (0, 1));
        }
    }
}

#[test]
fn a_message_may_overtake_the_one_that_caused_it() {
    // Rank 1 tells rank 2 to send after it has sent itself. In the papers' mailboxes, its own message is always first.
    let chain = program(vec![vec![Op::Recv(ANY); 2], vec![isend(0), send(2)], vec![Op::Recv(from(1)), send(0)]], false);
    complete(&chain, 2);
    let mut traces = BTreeSet::new();
    let reduced = ends::dpor(&mut Eager::new(Rc::clone(&chain)), u64::MAX, |system, _| {
        traces.insert(system.outcome());
    });
    assert!(reduced.complete);
    assert_eq!(traces.len(), 1);
}

#[test]
fn a_late_message_is_seen_whatever_is_taken_first() {
    // Rank 2 hears from one of two ranks before it sends to rank 0, whose receive has a message from rank 1 at once.
    let late = program(
        vec![vec![Op::Recv(ANY)], vec![isend(0)], vec![Op::Recv(ANY), isend(0)], vec![isend(2)], vec![isend(2)]],
        false,
    );
    let (verdict, ends) = run(&late, true);
    assert!(verdict.complete);
    assert_eq!((verdict.stats.executions, ends), (4, 4));
}

#[test]
fn zero_buffering_deadlocks_where_infinite_does_not() {
    for zero_buffering in [false, true] {
        let exchange =
            program(vec![vec![send(1), Op::Recv(from(1))], vec![send(0), Op::Recv(from(0))]], zero_buffering);
        let (verdict, _) = run(&exchange, false);
        let settled = verdict.first.as_ref().map(|first| first.settled);
        assert_eq!(settled, zero_buffering.then_some(Settled::Deadlock));
        assert_eq!(verdict.stats.executions, 1);
    }
}

#[test]
fn a_wildcard_receive_after_a_probe_may_take_another_message() {
    let code = vec![vec![Op::Probe(ANY), Op::Recv(ANY), Op::Recv(ANY)], vec![send(0)], vec![send(0)]];
    complete(&program(code, false), 4);
    let code = vec![vec![Op::Probe(ANY), Op::RecvProbed, Op::Recv(ANY)], vec![send(0)], vec![send(0)]];
    complete(&program(code, false), 2);
}

#[test]
fn polling_ends() {
    // A poll that can succeed says no once at most; one that can not is given up.
    complete(&program(vec![vec![Op::Irecv(from(1)), Op::Poll(0)], vec![send(0)]], false), 2);
    let (verdict, ends) = run(&program(vec![vec![Op::Irecv(from(1)), Op::Poll(0)], vec![]], false), true);
    assert_eq!((verdict.stats.executions, ends, verdict.errors), (1, 1, 1));
}

#[test]
fn limits_are_said() {
    let program = gather(5, false);
    let explore = |limits: Limits| explore(&mut Choosing::new(Rc::clone(&program)), &limits, &mut Ends::default());
    let some = explore(Limits { executions: 10, ..Limits::default() });
    assert_eq!((some.complete, some.stopped, some.stats.executions), (false, Some(Stop::Executions), 10));
    let all = explore(Limits { executions: 24, ..Limits::default() });
    assert_eq!((all.complete, all.stopped, all.stats.executions), (true, None, 24));
    let shallow = explore(Limits { depth: 2, ..Limits::default() });
    assert_eq!((shallow.complete, shallow.bounded, shallow.stats.executions), (false, true, 12));
}

#[test]
fn tokens_replay_what_they_were_made_of() {
    struct Tokens(Rc<Program>, usize);
    impl Observer<Choosing> for Tokens {
        fn execution(&mut self, system: &mut Choosing, settled: Settled, path: &[Event]) -> Flow {
            let mut other = Choosing::new(Rc::clone(&self.0));
            let token = Token::of(&mut other, "zero", path).expect("the path is one of the program's");
            let read: Token = token.to_string().parse().expect("what is written can be read");
            assert_eq!(read, token);
            assert_eq!(replay(&mut other, &read, &mut |_, _| true), Ok(settled));
            assert_eq!(other.outcome(), system.outcome());
            self.1 += 1;
            Flow::Continue
        }
    }
    let conflict = program(
        vec![
            vec![Op::Irecv(ANY), isend(1), Op::Waitany, Op::Barrier(0), Op::Waitany],
            vec![Op::Irecv(from(0)), isend(0), Op::Barrier(0), Op::Random(3)],
            vec![Op::Barrier(0), isend(0)],
        ],
        true,
    );
    let mut tokens = Tokens(Rc::clone(&conflict), 0);
    explore(&mut Choosing::new(conflict), &Limits::default(), &mut tokens);
    assert_eq!(tokens.1, 9);
}

#[test]
fn tokens_are_short_and_wrong_ones_are_explained() {
    let program = gather(5, false);
    let mut system = Choosing::new(Rc::clone(&program));
    let choice = |number| smpi_checker::ChoiceId::of(smpi_base::WorldRank(0), number);
    let path = [1, 2, 4, 3].iter().zip(0..).map(|(&candidate, number)| Event { choice: choice(number), candidate });
    let path: Vec<Event> = path.collect();
    let token = Token::of(&mut system, "infinite", &path).expect("it is a path");
    assert_eq!(token.to_string(), "1/infinite/_2/0.2:4");
    let explain = |text: &str| text.parse::<Token>().expect_err("it is wrong").to_string();
    assert!(explain("2/zero/0.0:1").contains("version 1"));
    assert!(explain("1/Zero").contains("no mode"));
    assert!(explain("1/zero/0.0:1/0.1").contains("item 2"));
    assert!(explain("1/zero/0.0:-1").contains("item 1"));
    let mut attempt = |text: &str| {
        let token = text.parse().expect("it is a token");
        replay(&mut system, &token, &mut |_, _| true).expect_err("it does not fit")
    };
    assert!(matches!(attempt("1/zero/0.0:9"), ReplayError::NoCandidate(0, _, keys) if keys == [1, 2, 3, 4]));
    assert!(matches!(attempt("1/zero/_1/1.0:9"), ReplayError::NoChoice(1, _, ids) if ids == [choice(1)]));
    assert!(matches!(attempt("1/zero/_4/0.4:1"), ReplayError::Ended(4, Settled::Finished, _)));
}

/// Executions and steps of the papers' reduction.
fn reduced(program: &Rc<Program>) -> (u64, u64) {
    let stats = ends::dpor(&mut Eager::new(Rc::clone(program)), u64::MAX, |_, _| {}).stats;
    (stats.executions, stats.transitions)
}

#[test]
fn counts_of_the_papers_reduction() {
    let gathers = (2..=6).map(|ranks| reduced(&gather(ranks, false)));
    assert_eq!(gathers.collect::<Vec<_>>(), [(1, 4), (2, 15), (6, 57), (24, 255), (120, 1373)]);
    let groups = [3, 6, 9].map(|ranks| reduced(&groups(ranks, false)));
    assert_eq!(groups, [(2, 15), (4, 45), (8, 105)]);
    // Figure 5 of "A Simple Model of Communication APIs": ten traces for six matchings.
    let reduce = program(vec![vec![Op::Recv(ANY); 4], vec![send(0); 2], vec![send(0); 2]], false);
    assert_eq!(reduced(&reduce), (10, 102));
}

#[test]
fn counts_without_reduction() {
    let count = |ranks: u32, recognise: bool| {
        let mut system = Eager::new(gather(ranks, false));
        system.recognise = recognise;
        let all = ends::all(&mut system, u64::MAX, |_, _| {}).stats;
        if recognise { all.configurations } else { all.executions }
    };
    assert_eq!([2, 3].map(|ranks| count(ranks, false)), [5, 304]);
    assert_eq!([2, 3, 4].map(|ranks| count(ranks, true)), [8, 58, 506]);
}
