/** Fuzzes one tool: explores drawn inputs, then shrinks and confirms each fault once. */
import fc from "fast-check";
import type { FuzzFind, FuzzReport } from "../../../machines/model/fuzz.ts";
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { workLimitMs } from "../../platform/bounded.ts";
import { judge } from "../judge/judge.ts";
import { inTime } from "../json_schema/example_input.ts";
import { answersLate, type FuzzServer } from "./fuzz_server.ts";
import { serializeTests } from "../format/serialize_tests.ts";
import { type FuzzInput, type InputOptions, type ToolInputs, toolInputs } from "./arbitraries/inputs.ts";
import { foundTest } from "./found_test.ts";
import type { MemorySample, OracleDefinition, OracleViolation, SeenCall } from "./oracle.ts";
import { registry as oracles } from "./oracles/_registry.ts";
import { toolSeed } from "./seeds.ts";
import { drawing, shrink } from "./shrink.ts";
import { count } from "../../core/text.ts";

export interface FuzzToolOptions extends InputOptions {
  runs: number;
  seed: number;
  limitMs: number;
  /** Milliseconds on `performance.now()` after which no new input is tried. */
  deadline: number;
  /** Called after each call of the exploration. */
  onCall?: (done: number) => void;
}

type FuzzedTool = FuzzReport["tools"][number] & { finds: FuzzFind[] };

/** Limit of making one fault's input smaller. */
const shrinkBudgetMs = 10_000;
/** Most calls without an answer, each of which costs a server or a wait: after them a tool is given up. */
const someFailures = 6;
const mostFailures = 40;
/** To draw one input, in ms: most take less than one. */
const drawMs = 10;
/** Answers that are asked for a second time. */
const mostRepeats = 20;

interface Fault {
  oracle: OracleDefinition;
  complaint: OracleViolation;
  drawn: FuzzInput;
  index: number;
}

/** @throws {PthError} when the server does not start any more; the signal's reason */
export async function fuzzTool(
  tool: ToolDefinition,
  server: FuzzServer,
  options: FuzzToolOptions,
): Promise<FuzzedTool> {
  const inputs = toolInputs(tool.inputSchema, options);
  const none = { tool: tool.name, calls: 0, accepted: 0, refused: 0, finds: [] };
  if (inputs === undefined) {
    return {
      ...none,
      note: "not fuzzed: its inputSchema does not compile, or no input was found that it allows",
    };
  }
  const { result: drawn, problem } = inTime(
    tool.inputSchema,
    () => fc.sample(inputs.all, drawing(toolSeed(options.seed, tool.name), options.runs)),
    Math.max(workLimitMs, options.runs * drawMs),
  );
  if (problem !== undefined) return { ...none, note: `not fuzzed: its inputSchema does not end: ${problem}` };
  const explored = await explore(tool, drawn, server, options);
  const finds: FuzzFind[] = [];
  const notes = explored.note === undefined ? [] : [explored.note];
  for (const fault of explored.faults.values()) {
    const { input } = fault.drawn;
    if (fault.oracle.name === "hang" && await answersLate(tool, input, server, options.limitMs)) {
      notes.push(`slow: ${JSON.stringify(input)} is answered after the limit of ${options.limitMs / 1000} s`);
      continue;
    }
    finds.push(await settle(fault, { tool, inputs, server, options, usualMs: explored.usualMs }));
  }
  const grown = explored.faults.size > 0
    ? undefined
    : await memoryFind(tool, explored.answered, server, options);
  const { calls, accepted, refused } = explored;
  return {
    ...{ tool: tool.name, calls, accepted, refused },
    ...(notes.length === 0 ? {} : { note: notes.join("; ") }),
    finds: [...finds, ...grown ? [grown] : []],
  };
}

async function explore(
  tool: ToolDefinition,
  drawn: readonly FuzzInput[],
  server: FuzzServer,
  { runs, limitMs, deadline, onCall }: FuzzToolOptions,
) {
  const steady = tool.annotations?.readOnlyHint === true || tool.annotations?.idempotentHint === true;
  const faults = new Map<string, Fault>();
  const answered: FuzzInput[] = [];
  const seen = { calls: 0, accepted: 0, refused: 0, losses: 0, hangs: 0, repeats: 0 };
  const durations: number[] = [];
  let note: string | undefined;
  for (const [index, input] of drawn.entries()) {
    if (performance.now() > deadline) {
      note = `out of time after ${seen.calls} of ${runs} inputs`;
      break;
    }
    if (hasToldAll(seen)) {
      note = `given up after ${seen.calls} of ${runs} inputs: it lost the server ${
        count(seen.losses, "time")
      } and hung ${count(seen.hangs, "time")}`;
      break;
    }
    const valid = input.breach === undefined;
    const repeat = steady && valid && seen.repeats < mostRepeats;
    // That it hangs is known after the first time; to see it again takes no such long wait, nor a new server.
    const patient = seen.hangs > 0;
    const wait = patient ? shorter(limitMs, usualMs(durations)) : limitMs;
    const call = await server.call({ tool, input: input.input, valid, limitMs: wait, repeat, patient });
    seen.calls++;
    if (repeat) seen.repeats++;
    if (call.loss) seen.losses++;
    if (call.silence) seen.hangs++;
    if (call.outcome) {
      seen[call.outcome.isError ? "refused" : "accepted"]++;
      durations.push(call.outcome.durationMs);
      if (!call.outcome.isError && answered.length < 20) answered.push(input);
    }
    for (const { oracle, complaint } of complaints(call)) {
      const key = `${oracle.name}\n${complaint.signature}`;
      if (!faults.has(key)) faults.set(key, { oracle, complaint, drawn: input, index });
    }
    onCall?.(seen.calls);
  }
  return { ...seen, faults, answered, note, usualMs: usualMs(durations) };
}

function hasToldAll({ calls, losses, hangs }: { calls: number; losses: number; hangs: number }): boolean {
  const failures = losses + hangs;
  return failures >= mostFailures || (failures >= someFailures && failures * 2 > calls);
}

const complaints = (call: SeenCall): { oracle: OracleDefinition; complaint: OracleViolation }[] =>
  oracles.flatMap((oracle) => {
    const complaint = oracle.judge?.(call);
    return complaint === undefined ? [] : [{ oracle, complaint }];
  });

interface Scene {
  tool: ToolDefinition;
  inputs: ToolInputs;
  server: FuzzServer;
  options: FuzzToolOptions;
  /** Time in milliseconds that slower answers of this tool take. */
  usualMs: number;
}

/** From a fault that was met to a find: smaller, confirmed, as a test. */
async function settle(fault: Fault, scene: Scene): Promise<FuzzFind> {
  const { oracle, complaint, drawn, index } = fault;
  const { tool, options: { seed, limitMs } } = scene;
  const base = {
    tool: tool.name,
    oracle: oracle.name,
    severity: oracle.severity,
    ...(complaint.category === undefined ? {} : { category: complaint.category }),
    signature: complaint.signature,
    original: drawn.input,
    seed,
  };
  const asDrawn = { ...drawn, shrinks: 0, path: String(index), tookMs: 0 };
  if (oracle.severity === "finding") {
    return { ...base, ...told(asDrawn), message: complaint.message, confirmed: false };
  }
  const smaller = await shrunk(fault, scene);
  for (const candidate of smaller.shrinks > 0 ? [smaller, asDrawn] : [smaller]) {
    await scene.server.renew();
    const again = await sameFault(fault, candidate, scene, { limitMs });
    if (again === undefined) continue;
    const find = { ...base, ...told(candidate), message: again.complaint.message, confirmed: true };
    const test = foundTest(find, limitMs);
    // A fault that a test of one call cannot show is reported, but not written as a test.
    if (judge(test, observed(again.call)).status !== "failed") return find;
    return { ...find, test, yaml: serializeTests([test]) };
  }
  return { ...base, ...told(asDrawn), message: complaint.message, confirmed: false };
}

const told = ({ input, breach, shrinks, path, tookMs }: Awaited<ReturnType<typeof shrink>>) => ({
  input,
  ...(breach === undefined ? {} : { breach }),
  shrinks,
  shrinkMs: Math.round(tookMs),
  path,
});

/** A limit for a tool whose usual time for an answer is known. */
const shorter = (limitMs: number, usualMs: number): number => Math.min(limitMs, Math.max(150, usualMs * 10));

/** Nine of ten answers take no longer. */
const usualMs = (durations: readonly number[]): number =>
  durations.toSorted((a, b) => a - b)[Math.floor(durations.length * 0.9)] ?? 0;

/** Waits shorter than in the exploration: each smaller input that hangs costs the whole limit. */
async function shrunk(fault: Fault, scene: Scene) {
  const { tool, inputs, usualMs, options: { seed, limitMs } } = scene;
  const drawn = { seed: toolSeed(seed, tool.name), index: fault.index, first: fault.drawn };
  const soon = { limitMs: shorter(limitMs, usualMs), patient: true };
  const fails = async (input: FuzzInput) => await sameFault(fault, input, scene, soon) !== undefined;
  return await shrink(inputs.all, drawn, fails, shrinkBudgetMs);
}

async function sameFault(
  { oracle, complaint: { signature } }: Fault,
  { input, breach }: FuzzInput,
  { tool, server }: Scene,
  how: { limitMs: number; patient?: boolean },
): Promise<{ call: SeenCall; complaint: OracleViolation } | undefined> {
  const call = await server.call({ tool, input, valid: breach === undefined, ...how });
  const complaint = oracle.judge?.(call);
  return complaint?.signature === signature ? { call, complaint } : undefined;
}

const observed = ({ tool, outcome, loss, silence, callError, stray }: SeenCall) => ({
  tool,
  commands: [],
  strayOutput: stray,
  ...(outcome === undefined ? {} : { outcome }),
  ...(loss === undefined ? {} : { loss }),
  ...(silence === undefined ? {} : { timedOut: silence }),
  ...(callError === undefined ? {} : { callError }),
});

/** Measures memory of tools without another fault only: a server that must be restarted does not grow. */
async function memoryFind(
  tool: ToolDefinition,
  answered: readonly FuzzInput[],
  server: FuzzServer,
  { limitMs, seed, deadline }: FuzzToolOptions,
): Promise<FuzzFind | undefined> {
  const [first] = answered;
  if (first === undefined || performance.now() > deadline) return undefined;
  const samples = await measureMemory(tool, answered, server, limitMs);
  for (const oracle of oracles) {
    const complaint = oracle.judgeMemory?.(samples);
    if (complaint === undefined) continue;
    return {
      tool: tool.name,
      oracle: oracle.name,
      severity: oracle.severity,
      ...complaint,
      ...{ original: first.input, input: first.input, shrinks: 0, shrinkMs: 0, confirmed: true },
      ...{ seed, path: "" },
    };
  }
  return undefined;
}

const warmUp = 150;
const rows = 8;
const row = 50;
/** A tool too slow for that many calls in this time is not measured. */
const mostMs = 6_000;

/** Samples, the first one after the warm-up; too few to judge where the tool is slow or an answer fails to come. */
async function measureMemory(
  tool: ToolDefinition,
  inputs: readonly FuzzInput[],
  server: FuzzServer,
  limitMs: number,
): Promise<MemorySample[]> {
  const end = performance.now() + mostMs;
  const samples: MemorySample[] = [];
  let calls = 0;
  const answers = async (wanted: number): Promise<boolean> => {
    for (; calls < wanted; calls++) {
      if (performance.now() > end) return false;
      const { input, breach } = inputs[calls % inputs.length]!;
      const { outcome } = await server.call({ tool, input, valid: breach === undefined, limitMs });
      if (outcome === undefined) return false;
    }
    return true;
  };
  for (let number = 0; number <= rows; number++) {
    if (!await answers(warmUp + number * row)) return samples;
    const megabytes = await server.megabytes();
    if (megabytes === undefined) return samples;
    samples.push({ calls, megabytes });
  }
  return samples;
}
