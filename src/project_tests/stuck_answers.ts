/** Answers for what was stuck, in few words: threads with code of the project first, and of each stack what leads there. */
import type { ProjectTest } from "../../machines/model/project_test.ts";
import type { StuckRun, StuckTestAnswer } from "../../machines/model/project_test_run.ts";
import type { StackFrame, ThreadStack } from "../../machines/model/stuck.ts";
import { truncate } from "../core/text.ts";
import { definedOnly } from "../core/values.ts";

const mostThreads = 8;
/** Frames of a thread that runs none of the project's code. */
const fewFrames = 4;
const mostFrames = 8;
const longestName = 120;
const longestDiagnosis = 400;
const longestReason = 240;

/** A test for each that was stuck; their threads are told once. */
export function stuckAnswers(
  stuck: StuckRun,
  root: string,
  tracesOf: (test: ProjectTest) => string[] | undefined,
): StuckTestAnswer[] {
  const isOwn = ({ file }: StackFrame) =>
    file !== undefined && (file.startsWith(`${root}/`) || !file.startsWith("/")) && !isForeign(file);
  const all = stuck.stacks?.threads ?? [];
  const own = all.filter(({ frames }) => frames.some(isOwn));
  const told = (own.length > 0 ? own : all).slice(0, mostThreads);
  const threads = told.map((thread) => ({
    name: nameAmong(all, thread),
    stack: shortStack(thread.frames, isOwn).map((frame) => frameText(frame, root)).concat(locksOf(thread)),
  }));
  const stack = told.flatMap(({ frames }) => frames.filter(isOwn).map((frame) => frameText(frame, root)));
  const names = stuck.running.length === 0 ? ["(the run)"] : stuck.running.map(({ name }) => name);
  return names.map((name, at) => ({
    name,
    elapsed_ms: Math.round(stuck.elapsedMs),
    diagnosis: diagnosisOf(stuck, cycleIn(all)),
    threads: at === 0 ? threads : [],
    ...definedOnly({ suggested_traces: tracesOf({ name, status: "stuck", stack }) }),
  }));
}

/** Sources that debug information of the system and of languages names by relative paths, and installed packages. */
const isForeign = (file: string): boolean =>
  /^\.{1,2}\/|^(?:nptl|posix|misc|csu|sysdeps|library)\/|(?:^|\/)(?:node_modules|site-packages|\.venv)\/|^<|^node:/
    .test(file);

/** The innermost frame, which says what is waited for, and the project's own. */
function shortStack(frames: readonly StackFrame[], isOwn: (frame: StackFrame) => boolean): StackFrame[] {
  if (!frames.some(isOwn)) return frames.slice(0, fewFrames);
  return frames.filter((frame, at) => at === 0 || isOwn(frame)).slice(0, mostFrames);
}

function frameText({ function: name, file, line }: StackFrame, root: string): string {
  const shown = truncate(name, longestName);
  if (file === undefined) return shown;
  const path = file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file;
  return `${shown} (${path}${line === undefined ? "" : `:${line}`})`;
}

/** Name of a thread, with its number where others have the same name. */
function nameAmong(threads: readonly ThreadStack[], { name, tid }: ThreadStack): string {
  const isShared = threads.filter((other) => other.name === name).length > 1;
  return isShared && tid !== undefined ? `${name} (${tid})` : name;
}

/** Holders of locks are named with their number where it is known. */
const isNamed = ({ name, tid }: ThreadStack, text: string): boolean =>
  text === (tid === undefined ? name : `${name} (${tid})`) || text === name;

/** Names of threads that each wait for the next; undefined where there is no circle. */
function cycleIn(threads: readonly ThreadStack[]): string[] | undefined {
  for (const start of threads) {
    const path: ThreadStack[] = [];
    for (let at: ThreadStack | undefined = start; at !== undefined && !path.includes(at);) {
      path.push(at);
      const heldBy: string | undefined = at.waitsFor?.heldBy;
      at = heldBy === undefined ? undefined : threads.find((each) => isNamed(each, heldBy));
      if (at === start) return [...path, start].map((each) => nameAmong(threads, each));
    }
  }
  return undefined;
}

const locksOf = ({ holds = [], waitsFor }: ThreadStack): string[] => [
  ...holds.map(({ lock, at, certain }) =>
    `holds ${lock}${at === undefined ? "" : `, taken at ${at}`}${certain ? "" : " (likely)"}`
  ),
  ...(waitsFor === undefined
    ? []
    : [`waits for ${waitsFor.lock}${waitsFor.heldBy === undefined ? "" : `, held by ${waitsFor.heldBy}`}`]),
];

const titles = {
  working: "Still working",
  waiting: "Waiting",
  deadlock: "Deadlock",
  infinite_loop: "Infinite loop",
  beyond_timeout: "Waits beyond the time limit",
  gone: "Gone",
};

/** Says why there are no stacks, where no way gave any. */
function withoutStacks(stacks: StuckRun["stacks"]): string {
  const isWithout = stacks !== undefined && ["/proc", "none"].includes(stacks.method);
  const [reason] = stacks?.notes ?? [];
  return isWithout && reason !== undefined ? `no stacks: ${truncate(reason, longestReason)}` : "";
}

function diagnosisOf(
  { reason, judgement, stacks, elapsedMs }: StuckRun,
  found: string[] | undefined,
): string {
  const limit = reason === "limit" ? `not over at the time limit, after ${Math.round(elapsedMs)} ms` : "";
  if (judgement === undefined || judgement.kind === "gone") {
    return `Still running: ${[limit, withoutStacks(stacks)].filter((part) => part !== "").join("; ")}`;
  }
  const sure = "certain" in judgement && !judgement.certain ? " (suspected)" : "";
  const detail = "detail" in judgement ? truncate(judgement.detail, longestDiagnosis) : "";
  const cycle = stacks?.cycle ?? found;
  const told = cycle === undefined ? "" : `${cycle.join(" waits for ")}`;
  return `${titles[judgement.kind]}${sure}: ${
    [told, detail, limit, withoutStacks(stacks)].filter((part) => part !== "").join("; ")
  }`;
}
