/** From a fault that needs earlier calls to a find: the shortest sequence of calls that shows it, as a scenario. */
import type { FuzzFind } from "../../../machines/model/fuzz.ts";
import { count } from "../../core/text.ts";
import { definedOnly } from "../../core/values.ts";
import { serializeTests } from "../format/serialize_tests.ts";
import { variableReferences } from "../format/variables.ts";
import { shorterLimit } from "./tool_exploration.ts";
import { type Fault, sameFault } from "./fault.ts";
import { foundSequence } from "./found_test.ts";
import { hangFactor } from "./fuzz_server.ts";
import { minimise } from "./minimise.ts";
import type { OracleViolation, PastCall } from "./oracle.ts";
import { replay, type ReplayContext, type Replayed } from "./replay.ts";
import { shortenList } from "./shorten_list.ts";

export interface SequenceSettling extends ReplayContext {
  seed: number;
  limitMs: number;
  /** Time in milliseconds that slower answers of the last call's tool take. */
  usualMs: number;
  /** Milliseconds on the clock of the server after which nothing is made shorter. */
  until: number;
}

/** Sequences that are tried to leave calls out, and to make their inputs smaller. */
const mostTriesOfLength = 150;
const mostTriesOfInputs = 200;
/** Oracles whose faults a test of several steps shows, for any tool. */
const shownBySteps = /^(?:crash|hang|protocol_error|output_schema|leaked_error)$/;
/** Longest sequence that a person reads as a test. */
const longestTest = 60;

/**
 * @param calls All calls on the server on which the fault was met; the last one showed it
 * @returns undefined where they do not show it again
 * @throws {PthError} as `FuzzServer.call`
 */
export async function settleSequence(
  fault: Fault,
  calls: readonly PastCall[],
  settling: SequenceSettling,
): Promise<FuzzFind | undefined> {
  const started = performance.now();
  const { server, limitMs, usualMs, seed, until } = settling;
  const isHang = fault.oracle.name === "hang";
  const others = Math.min(limitMs, Math.max(1_000, usualMs * 10));
  const whole = { last: isHang ? limitMs * hangFactor : limitMs, others };
  const soon = {
    last: isHang ? Math.min(limitMs, Math.max(500, shorterLimit(limitMs, usualMs))) : limitMs,
    others,
  };
  const show = async (sequence: readonly PastCall[], limits = soon) => {
    const replayed = await replay(sequence, settling, limits);
    const complaint = replayed && sameFault(fault, replayed.call);
    return complaint === undefined ? undefined : { ...replayed!, complaint };
  };
  if (await show(calls, whole) === undefined) return undefined;
  const last = calls.at(-1)!;
  const shortened = await shortenList(calls.slice(0, -1), {
    shows: async (some) => await show([...some, last]) !== undefined,
    mostTries: mostTriesOfLength,
    isOver: () => server.now() > until,
  });
  const short = [...shortened.items, last];
  const plain = await withSmallerInputs(short, async (some) => await show(some) !== undefined, settling);
  const bounds = [shortened.bound, plain.bound];
  for (const [index, sequence] of [plain.calls, short, calls].entries()) {
    const shown = await show(withNeededCaptures(sequence), whole);
    if (shown === undefined) continue;
    if (index > 0) bounds.push("a smaller one did not show it each time");
    const bound = bounds.filter(Boolean).join("; ");
    const find = findOf(fault, shown, settling);
    const more = {
      ...{ seed, shrinks: calls.length - sequence.length + plain.shrinks },
      shrinkMs: Math.round(performance.now() - started),
      ...definedOnly({ bound: bound === "" ? undefined : bound }),
    };
    if (shown.calls.length > longestTest || !shownBySteps.test(find.oracle)) return { ...find, ...more };
    const test = foundSequence({ ...find, ...more }, shown.calls, limitMs);
    return { ...find, ...more, test, yaml: serializeTests([test]) };
  }
  return undefined;
}

function findOf(
  fault: Fault,
  { calls, complaint }: Replayed & { complaint: OracleViolation },
  { callable }: SequenceSettling,
): Omit<FuzzFind, "seed" | "shrinks" | "shrinkMs"> {
  const { tool, input } = calls.at(-1)!;
  const breach = callable(tool)?.isValid(input) === false
    ? fault.drawn.breach ?? "its schema forbids it"
    : undefined;
  return {
    ...{ tool, oracle: fault.oracle.name, severity: fault.oracle.severity },
    ...definedOnly({ category: complaint.category, breach }),
    message: `${complaint.message}\n  after ${count(calls.length - 1, "other call")}; alone it does not`,
    signature: complaint.signature,
    original: fault.drawn.input,
    input,
    steps: calls.map((call) => ({
      ...{ tool: call.tool, input: call.template ?? call.input },
      ...definedOnly({ capture: call.capture }),
    })),
    confirmed: true,
    path: fault.path,
  };
}

/** Keeps the captures that a later call uses: another run may answer without the others. */
function withNeededCaptures(calls: readonly PastCall[]): PastCall[] {
  const used = new Set(calls.flatMap(({ template }) => variableReferences(JSON.stringify(template ?? {}))));
  return calls.map(({ capture = {}, ...call }) => {
    const needed = Object.entries(capture).filter(([name]) => used.has(name));
    return needed.length === 0 ? call : { ...call, capture: Object.fromEntries(needed) };
  });
}

/** Makes the inputs smaller, one call after the other from the last one on; those that are made of answers stay. */
async function withSmallerInputs(
  calls: readonly PastCall[],
  shows: (calls: readonly PastCall[]) => Promise<boolean>,
  { callable, server, until }: SequenceSettling,
): Promise<{ calls: readonly PastCall[]; shrinks: number; bound?: string }> {
  let current = calls;
  let tries = mostTriesOfInputs;
  let shrinks = 0;
  let bound: string | undefined;
  for (let index = calls.length - 1; index >= 0 && bound === undefined; index--) {
    const call = current[index]!;
    if (call.template !== undefined) continue;
    const isValid = callable(call.tool)?.isValid ?? (() => false);
    const wasValid = isValid(call.input);
    const smallest = await minimise(call.input, {
      shows: async (input) => await shows(current.with(index, { ...call, input })),
      allowed: (input) => !wasValid || isValid(input),
      ...{ mostTries: tries, isOver: () => server.now() > until },
    });
    current = current.with(index, { ...call, input: smallest.input });
    tries -= smallest.tries;
    shrinks += smallest.chain.length - 1;
    bound = smallest.bound;
  }
  return { calls: current, shrinks, ...definedOnly({ bound }) };
}
