import type {
  HangInspection,
  ProcessSample,
  SampledThread,
  StuckJudgement,
} from "../../machines/model/stuck.ts";
import { oneLine, stripEscapes } from "../core/text.ts";
import { describeThread } from "./describe_thread.ts";
import { judgeSample } from "./judge_sample.ts";

/** Most threads that are named, and characters of the line about them. */
const mostThreads = 6;
const longestLine = 400;

/**
 * Judges one sample of a process tree that owes an answer to its client, and tells what its threads wait for.
 * @param budgetMs Time in ms until the wait for the answer ends
 */
export function inspectHang(sample: ProcessSample, budgetMs: number): HangInspection {
  const judgement = judged(sample, budgetMs);
  const threads = tellingThreads(sample, judgement).map((thread) => {
    const { pid, tid } = thread;
    const runtime = sample.processes.find((each) => each.pid === pid)?.runtime;
    const waits = line(describeThread(withoutNoise(thread), sample));
    return { pid, tid, waits, ...(runtime === undefined ? {} : { runtime }) };
  });
  const found = {
    kind: judgement.kind,
    ...("certain" in judgement ? { certain: judgement.certain } : {}),
    threads,
  };
  return { ...found, says: hangLine(found) };
}

/** Tells a finding in one line, with the waits of its threads. */
export function hangLine(found: Omit<HangInspection, "says">): string {
  const clauses = found.threads.map(({ waits }) => waits).join("; ");
  return line(`${words(found)}${clauses === "" ? "" : `: ${clauses}`}`);
}

const line = (text: string) => oneLine(stripEscapes(text), longestLine);

function words({ kind, certain }: Pick<HangInspection, "kind" | "certain">): string {
  const how = certain === true ? "certain" : "suspected";
  switch (kind) {
    case "deadlock":
      return `hung: deadlock, ${how}`;
    case "infinite_loop":
      return `hung: endless loop, ${how}`;
    case "beyond_timeout":
      return `hung: goes on only after the limit, ${how}`;
    case "waiting":
      return "hung: calls nothing";
    case "working":
      return "not hung: it works";
    case "gone":
      return "not inspected: its process is gone";
    case "not_inspected":
      return "not inspected";
  }
}

/**
 * A thread that reads stdin releases others only once a message comes, and none does: where the interpreter's main thread
 * waits for them, that is suspected to be all.
 */
function judged(sample: ProcessSample, budgetMs: number): StuckJudgement {
  const plain = judgeSample(sample, { budgetMs });
  const readers = sample.threads.filter(readsStdin);
  if (plain.kind !== "waiting" || readers.length === 0) return plain;
  const mains = readers.map(({ pid }) => pid);
  // Other languages' main threads may wait for their own pool of threads by design.
  const isPython = mains.every((pid) =>
    sample.processes.some((each) => each.pid === pid && /^python/.test(each.program ?? ""))
  );
  if (!isPython || readers.some(({ pid, tid }) => pid === tid)) return plain;
  const others = { ...sample, threads: sample.threads.filter((thread) => !readers.includes(thread)) };
  const held = judgeSample(others, { budgetMs });
  const holdsMain = "threads" in held && mains.every((pid) => held.threads.includes(pid));
  return holdsMain ? { ...held, certain: false } : plain;
}

/** Some servers move their stdin to another file. */
const stdins = ["its stdin", "a pipe from outside"];
const readsStdin = ({ wait, frozen }: SampledThread) =>
  frozen && wait.kind === "input" && stdins.includes(wait.from) && wait.peers === undefined;

/** Threads that are stuck or compute, then the main thread of each process, then those that hold others up. */
function tellingThreads(sample: ProcessSample, judgement: StuckJudgement): SampledThread[] {
  const { threads, processes } = sample;
  const cycle = judgement.kind === "deadlock" ? judgement.cycle : [];
  const stuck = "threads" in judgement ? judgement.threads : [];
  const runtimes = new Map(processes.map(({ pid, runtime }) => [pid, runtime]));
  const isMain = ({ pid, tid }: SampledThread) => pid === tid;
  const rank = (thread: SampledThread) => {
    if (cycle.includes(thread.tid)) return 0;
    if (judgement.kind === "infinite_loop" && stuck.includes(thread.tid)) return 0;
    if (judgement.kind === "working" && thread.cpu > 0.05) return 0;
    if (isMain(thread)) return 1;
    // Runtimes keep threads of their own that wait for work.
    if (runtimes.get(thread.pid) === undefined && !readsStdin(thread)) return 2;
    return undefined;
  };
  const ranked = threads.flatMap((thread) => {
    const at = rank(thread);
    return at === undefined || (cycle.length > 0 && at > 0) ? [] : [{ thread, at }];
  });
  return ranked.sort((a, b) => a.at - b.at).slice(0, mostThreads).map(({ thread }) => thread);
}

/** An event loop wakes itself by files of its own; they say nothing. */
function withoutNoise(thread: SampledThread): SampledThread {
  const { wait } = thread;
  if (wait.kind !== "event_loop") return thread;
  const told = wait.watched.filter((name) => !/^(?:anon_inode:|pipe:|socket:)/.test(name));
  return told.length === 0 ? thread : { ...thread, wait: { ...wait, watched: told } };
}
