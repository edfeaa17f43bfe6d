//! A second opinion on the scheduler core, written for clarity and sharing no code with it.
//! An order of operations per stage becomes a timeline (each operation starts as early as its
//! predecessor and its data allow), metrics judge it, and a partition splits layers over stages.
//! Tests compare these numbers with the core's, benchmarks the time. Compile with `rustc -O`.

use std::{env, fmt::Debug, fs, hint::black_box, io, process, str::FromStr};
use Kind::{B, F};

const USAGE: &str = "usage: reference golden FILE...
       reference run SCHEDULE P M FORWARD BACKWARD [--ops] [--floor]
       reference partition P L1,L2,...
       reference random SEED COUNT
       reference random-partitions SEED COUNT
       reference bench SCHEDULE P M REPEATS
       reference bench-loop SCHEDULE P M";
const MAX_OPERATIONS: usize = 1 << 24;
const APPROXIMATE: [&str; 6] = ["bubble_fraction", "utilization", "throughput", "total_busy_time",
    "analytical_bubble_fraction", "analytical_utilization"];

/// Forward and backward, in the order the operation list has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind { F, B }

/// For each stage, the operations in the order it runs them: kind and micro-batch.
type Orders = Vec<Vec<(Kind, usize)>>;

struct Op { stage: usize, micro_batch: usize, kind: Kind, start: f64, end: f64 }

struct Metrics {
    makespan: f64,
    bubble_fraction: f64,
    utilization: f64,
    throughput: f64,
    total_busy_time: f64,
    stage_peak_stash: Vec<usize>,
    floor: f64,
    analytical_bubble_fraction: f64,
    analytical_utilization: f64,
}

struct Scenario {
    schedule: String,
    stages: usize,
    micro_batches: usize,
    forward: Vec<f64>,
    backward: Vec<f64>,
}

fn gpipe_order(stages: usize, micro_batches: usize) -> Orders {
    let forwards = (0..micro_batches).map(|m| (F, m));
    let backwards = (0..micro_batches).rev().map(|m| (B, m));
    vec![forwards.chain(backwards).collect(); stages]
}

fn one_f_one_b_order(stages: usize, micro_batches: usize) -> Orders {
    let stage_order = |stage: usize| {
        let warm_up = (stages - 1 - stage).min(micro_batches);
        let steady = micro_batches - warm_up;
        let mut order = Vec::with_capacity(2 * micro_batches);
        order.extend((0..warm_up).map(|m| (F, m)));
        order.extend((0..steady).flat_map(|k| [(F, warm_up + k), (B, k)]));
        order.extend((steady..micro_batches).map(|m| (B, m)));
        order
    };
    (0..stages).map(stage_order).collect()
}

/// Visits the stages in turn, each running as far as its data has arrived, until none moves.
fn timeline(orders: &Orders, forward: &[f64], backward: &[f64]) -> Result<Vec<Op>, String> {
    let stages = orders.len();
    let micro_batches = orders.iter().flatten().map(|&(_, m)| m + 1).max().unwrap_or(0);
    let mut forward_end = vec![vec![None::<f64>; micro_batches]; stages];
    let mut backward_end = forward_end.clone();
    let mut next = vec![0; stages];
    let mut free_at = vec![0.0_f64; stages];
    let mut ops = Vec::with_capacity(orders.iter().map(Vec::len).sum());
    loop {
        let ops_before = ops.len();
        for stage in 0..stages {
            while let Some(&(kind, micro_batch)) = orders[stage].get(next[stage]) {
                let ready_at = match kind {
                    F if stage == 0 => Some(0.0),
                    F => forward_end[stage - 1][micro_batch],
                    B if stage == stages - 1 => forward_end[stage][micro_batch],
                    B => forward_end[stage][micro_batch]
                        .zip(backward_end[stage + 1][micro_batch])
                        .map(|(own, later)| own.max(later)),
                };
                let Some(ready_at) = ready_at else { break };
                let start = free_at[stage].max(ready_at);
                let end = start + if kind == F { forward[stage] } else { backward[stage] };
                let ends = if kind == F { &mut forward_end } else { &mut backward_end };
                ends[stage][micro_batch] = Some(end);
                free_at[stage] = end;
                next[stage] += 1;
                ops.push(Op { stage, micro_batch, kind, start, end });
            }
        }
        if ops.len() == ops_before {
            break;
        }
    }
    match (0..stages).find_map(|s| Some((s, orders[s].get(next[s])?))) {
        Some((s, (kind, m))) => Err(format!("stage {s} can never run {kind:?} of micro-batch {m}")),
        None => Ok(ops),
    }
}

fn peak_stash(order: &[(Kind, usize)]) -> usize {
    let (mut stash, mut peak) = (0, 0);
    for &(kind, _) in order {
        if kind == F { stash += 1 } else { stash -= 1 }
        peak = peak.max(stash);
    }
    peak
}

fn measure(scenario: &Scenario, orders: &Orders, ops: &[Op]) -> Metrics {
    let (p, m) = (scenario.stages as f64, scenario.micro_batches as f64);
    let makespan = ops.iter().map(|op| op.end).fold(0.0, f64::max);
    let costs = scenario.forward.iter().zip(&scenario.backward);
    let stage_work = costs.map(|(f, b)| (f + b) * m);
    let utilization = (stage_work.clone().sum::<f64>() / (p * makespan)).min(1.0);
    Metrics {
        makespan,
        bubble_fraction: (1.0 - utilization).max(0.0),
        utilization,
        throughput: m / makespan,
        total_busy_time: ops.iter().map(|op| op.end - op.start).sum(),
        stage_peak_stash: orders.iter().map(|order| peak_stash(order)).collect(),
        floor: stage_work.fold(0.0, f64::max),
        analytical_bubble_fraction: (p - 1.0) / (m + p - 1.0),
        analytical_utilization: m / (m + p - 1.0),
    }
}

impl Scenario {
    /// A single cost stands for every stage.
    fn new(schedule: &str, stages: usize, micro_batches: usize, forward: &[f64], backward: &[f64])
        -> Result<Scenario, String> {
        let operations = stages.saturating_mul(micro_batches).saturating_mul(2);
        if operations == 0 || operations > MAX_OPERATIONS {
            return Err(format!("{operations} operations, must be 2 to {MAX_OPERATIONS}"));
        }
        let expand = |name: &str, costs: &[f64]| {
            if let Some(i) = costs.iter().position(|&c| !(c.is_finite() && c > 0.0)) {
                return Err(format!("{name} cost {:?} of stage {i} is not positive", costs[i]));
            }
            match costs.len() {
                1 => Ok(vec![costs[0]; stages]),
                n if n == stages => Ok(costs.to_vec()),
                n => Err(format!("{n} {name} costs for {stages} stages")),
            }
        };
        let (forward, backward) = (expand("forward", forward)?, expand("backward", backward)?);
        Ok(Scenario { schedule: schedule.into(), stages, micro_batches, forward, backward })
    }

    /// The whole core: order, timeline, sorted operation list, metrics.
    fn simulate(&self) -> Result<(Vec<Op>, Metrics), String> {
        let orders = match self.schedule.as_str() {
            "gpipe" => gpipe_order(self.stages, self.micro_batches),
            "1f1b" => one_f_one_b_order(self.stages, self.micro_batches),
            other => return Err(format!("unknown schedule {other}")),
        };
        let mut ops = timeline(&orders, &self.forward, &self.backward)?;
        let rest = |op: &Op| (op.stage, op.kind, op.micro_batch);
        ops.sort_unstable_by(|a, b| a.start.total_cmp(&b.start).then_with(|| rest(a).cmp(&rest(b))));
        let metrics = measure(self, &orders, &ops);
        Ok((ops, metrics))
    }

    /// The results as the golden files show them; those never have the floor.
    fn report(&self, with_ops: bool, with_floor: bool) -> Result<Vec<String>, String> {
        let (ops, metrics) = self.simulate()?;
        let stash = &metrics.stage_peak_stash;
        let mut lines = vec![
            format!("makespan {:?}", metrics.makespan),
            format!("bubble_fraction {:?}", metrics.bubble_fraction),
            format!("utilization {:?}", metrics.utilization),
            format!("throughput {:?}", metrics.throughput),
            format!("total_busy_time {:?}", metrics.total_busy_time),
            format!("peak_stash {:?}", stash.iter().max().unwrap()),
            format!("stage_peak_stash {}", join(stash)),
            format!("analytical_bubble_fraction {:?}", metrics.analytical_bubble_fraction),
            format!("analytical_utilization {:?}", metrics.analytical_utilization),
        ];
        lines.extend(with_floor.then(|| format!("floor {:?}", metrics.floor)));
        for Op { stage, micro_batch, kind, start, end } in ops.iter().filter(|_| with_ops) {
            lines.push(format!("op {stage} {micro_batch} {kind:?} {start:?} {end:?}"));
        }
        Ok(lines)
    }
}

/// The textbook program: `best[p][i]` is the least possible largest load of the first `i` layers in
/// `p` stages, `cut[p][i]` the smallest first layer of the last stage that reaches it.
/// Gives the first layer, the end (exclusive) and the load of every stage.
fn partition(stages: usize, layers: &[f64]) -> Result<Vec<(usize, usize, f64)>, String> {
    let count = layers.len();
    if let Some(i) = layers.iter().position(|&cost| !(cost.is_finite() && cost >= 0.0)) {
        return Err(format!("cost {:?} of layer {i} is not finite and non-negative", layers[i]));
    }
    if stages == 0 || stages > count {
        return Err(format!("{count} layers cannot fill {stages} stages"));
    }
    let mut prefix = vec![0.0];
    for (i, cost) in layers.iter().enumerate() {
        prefix.push(prefix[i] + cost);
    }
    let mut best = vec![vec![f64::INFINITY; count + 1]; stages + 1];
    let mut cut = vec![vec![0; count + 1]; stages + 1];
    best[1] = prefix.clone();
    for p in 2..=stages {
        for i in p..=count {
            for j in p - 1..i {
                let largest = best[p - 1][j].max(prefix[i] - prefix[j]);
                if largest < best[p][i] {
                    best[p][i] = largest;
                    cut[p][i] = j;
                }
            }
        }
    }
    let mut ranges = Vec::new();
    let mut end = count;
    for p in (1..=stages).rev() {
        let start = cut[p][end];
        ranges.push((start, end, prefix[end] - prefix[start]));
        end = start;
    }
    ranges.reverse();
    Ok(ranges)
}

fn partition_report(stages: usize, layers: &[f64]) -> Result<Vec<String>, String> {
    let ranges = partition(stages, layers)?;
    let optimum = ranges.iter().map(|range| range.2).fold(0.0, f64::max);
    let mut lines = vec![format!("optimal_max_load {optimum:?}")];
    for (stage, (start, end, load)) in ranges.iter().enumerate() {
        lines.push(format!("range {stage} {start} {end} {load:?}"));
    }
    Ok(lines)
}

fn join<T: Debug>(items: &[T]) -> String {
    items.iter().map(|item| format!("{item:?}")).collect::<Vec<_>>().join(" ")
}

fn parse<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("not a valid number: '{text}'"))
}

fn parse_list(text: &str, separator: char) -> Result<Vec<f64>, String> {
    if text.is_empty() { Ok(vec![]) } else { text.split(separator).map(parse).collect() }
}

/// Equal to 1e-12 for the derived metrics, bit for bit for everything else.
fn lines_agree(expected: &str, actual: &str) -> bool {
    let approximate = APPROXIMATE.iter().any(|&name| actual.split(' ').next() == Some(name));
    let agree = |(a, b): (&str, &str)| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) if approximate => (a - b).abs() <= 1e-12 * a.abs().max(b.abs()),
        (Ok(a), Ok(b)) => a.to_bits() == b.to_bits(),
        _ => a == b,
    };
    expected.split(' ').count() == actual.split(' ').count()
        && expected.split(' ').zip(actual.split(' ')).all(agree)
}

/// Recomputes one case, the lines between `case` and `end`; the error says what differs.
fn check_case(lines: &[&str]) -> Result<(), String> {
    let find = |name: &str| lines.iter().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let field = |name: &str| find(name).ok_or(format!("no line '{name}'"));
    let list = |name: &str| parse_list(field(name)?, ' ');
    let stages = parse(field("stages ")?)?;
    let (inputs, actual) = if find("layers").is_some() {
        (2, partition_report(stages, &list("layers")?).unwrap_or_else(|_| vec!["error".into()]))
    } else {
        let (schedule, m) = (field("schedule ")?, parse(field("micro_batches ")?)?);
        let scenario = Scenario::new(schedule, stages, m, &list("forward ")?, &list("backward ")?)?;
        (5, scenario.report(find("op ").is_some(), false)?)
    };
    let expected = &lines[inputs..];
    match expected.iter().zip(&actual).find(|(expected, actual)| !lines_agree(expected, actual)) {
        Some((expected, actual)) => Err(format!("expected '{expected}', computed '{actual}'")),
        None if expected.len() != actual.len() => Err("differs in the number of lines".into()),
        None => Ok(()),
    }
}

fn check_golden(file: &str) -> Result<usize, String> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let (mut cases, mut lines) = (0, text.lines());
    while let Some(line) = lines.next() {
        let name = line.strip_prefix("case ").ok_or(format!("'{line}' is not a case"))?;
        let case: Vec<&str> = lines.by_ref().take_while(|&line| line != "end").collect();
        check_case(&case).map_err(|reason| format!("{name}: {reason}"))?;
        cases += 1;
    }
    if cases == 0 { Err("no cases".into()) } else { Ok(cases) }
}

/// SplitMix64: small, and the same sequence for a seed on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn between(&mut self, low: usize, high: usize) -> usize {
        low + (self.next() % (high - low + 1) as u64) as usize
    }

    fn real(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.next() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// Style 0: all equal, 1: reals, 2: integers, 3: any magnitude, 4: equal but for one.
    fn costs(&mut self, style: usize, count: usize) -> Vec<f64> {
        let (common, slow) = (self.between(1, 8) as f64 / 2.0, self.between(0, count - 1));
        let cost = |i| match style {
            1 => self.real(0.1, 10.0),
            2 => self.between(1, 9) as f64,
            3 => 10_f64.powf(self.real(-6.0, 6.0)),
            4 if i == slow => common * 7.5,
            _ => common,
        };
        (0..count).map(cost).collect()
    }
}

fn random_timeline(random: &mut Random, index: usize) -> Result<Vec<String>, String> {
    let schedule = ["gpipe", "1f1b"][random.between(0, 1)];
    let (p, m, style) = (random.between(1, 12), random.between(1, 20), random.between(0, 4));
    let scenario = Scenario::new(schedule, p, m, &random.costs(style, p), &random.costs(style, p))?;
    let mut lines = vec![
        format!("case {schedule}-p{p}-m{m}-{index}"),
        format!("schedule {schedule}\nstages {p}\nmicro_batches {m}"),
        format!("forward {}\nbackward {}", join(&scenario.forward), join(&scenario.backward)),
    ];
    lines.extend(scenario.report(true, false)?);
    Ok(lines)
}

/// One case in eight must be refused, one in four has layers that cost nothing.
fn random_partition(random: &mut Random, index: usize) -> Result<Vec<String>, String> {
    let (count, style) = (random.between(1, 40), random.between(0, 4));
    let mut layers = random.costs(style, count);
    let (mut stages, any) = (random.between(1, count), random.between(0, count - 1));
    match random.between(0, 39) {
        0 => stages = 0,
        1 => stages = count + random.between(1, 5),
        2 => layers.clear(),
        3 => layers[any] *= -1.0,
        4 => layers[any] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY][random.between(0, 2)],
        5 => layers.fill(0.0),
        6..=14 => layers[any] = 0.0,
        _ => {}
    }
    let layers_line = format!("layers {}", join(&layers));
    let mut lines = vec![format!("case part-{index}\nstages {stages}"), layers_line.trim().into()];
    lines.extend(partition_report(stages, &layers).unwrap_or_else(|_| vec!["error".into()]));
    Ok(lines)
}

/// One run of the whole core in nanoseconds; giving its results back to the allocator is not timed.
/// Nanoseconds of processor time of this thread: what else runs on the machine is no part of it.
fn processor_time() -> u128 {
    #[repr(C)]
    struct Timespec { seconds: i64, nanoseconds: i64 }
    extern "C" { fn clock_gettime(clock: i32, time: *mut Timespec) -> i32; }
    const THREAD_CPUTIME: i32 = 3;
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    unsafe { clock_gettime(THREAD_CPUTIME, &mut time) };
    time.seconds as u128 * 1_000_000_000 + time.nanoseconds as u128
}

fn time_run(scenario: &Scenario) -> Result<u128, String> {
    let began = processor_time();
    let results = black_box(black_box(scenario).simulate()?);
    let nanoseconds = processor_time() - began;
    drop(results);
    Ok(nanoseconds)
}

fn run(arguments: &[&str]) -> Result<(), String> {
    match arguments {
        ["golden", files @ ..] if !files.is_empty() => {
            for file in files {
                let cases = check_golden(file).map_err(|reason| format!("{file}: {reason}"))?;
                println!("{file}: {cases} cases agree");
            }
        }
        ["run", schedule, p, m, forward, backward, flags @ ..]
            if flags.iter().all(|flag| ["--ops", "--floor"].contains(flag)) => {
            let (forward, backward) = (parse_list(forward, ',')?, parse_list(backward, ',')?);
            let scenario = Scenario::new(schedule, parse(p)?, parse(m)?, &forward, &backward)?;
            let lines = scenario.report(flags.contains(&"--ops"), flags.contains(&"--floor"))?;
            println!("{}", lines.join("\n"));
        }
        ["partition", p, layers] => {
            let report = partition_report(parse(p)?, &parse_list(layers, ',')?);
            println!("{}", report.as_ref().map_or("error".into(), |lines| lines.join("\n")));
            report?;
        }
        [what @ ("random" | "random-partitions"), seed, count] => {
            let mut random = Random(parse(seed)?);
            let case = if *what == "random" { random_timeline } else { random_partition };
            for index in 0..parse::<usize>(count)? {
                println!("{}\nend", case(&mut random, index)?.join("\n"));
            }
        }
        ["bench", schedule, p, m, repeats] => {
            let scenario = Scenario::new(schedule, parse(p)?, parse(m)?, &[1.0], &[2.0])?;
            for _ in 0..parse::<usize>(repeats)? {
                println!("{}", time_run(&scenario)?);
            }
        }
        ["bench-loop", schedule, p, m] => {
            let scenario = Scenario::new(schedule, parse(p)?, parse(m)?, &[1.0], &[2.0])?;
            for _ in io::stdin().lines().map_while(Result::ok) {
                println!("{}", time_run(&scenario)?); // standard output is flushed at every line
            }
        }
        _ => return Err(USAGE.into()),
    }
    Ok(())
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let Err(error) = run(&arguments) {
        eprintln!("{error}");
        process::exit(1);
    }
}
