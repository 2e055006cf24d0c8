/** Sequences of calls on one server, for faults that no single call shows: state that an earlier call left. */
import fc from "fast-check";
import type { FuzzFind } from "../../../machines/model/fuzz.ts";
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { type InputOptions, toolInputs } from "./arbitraries/inputs.ts";
import { complaints, type Fault } from "./fault.ts";
import { inTime } from "../json_schema/in_time.ts";
import type { PastCall } from "./oracle.ts";
import { drawing, toolSeed } from "./seeds.ts";
import { type SequenceSettling, settleSequence } from "./settle_sequence.ts";

/** Calls of one sequence at most, and sequences at most: each begins on a server that has just been started. */
const longestSequence = 10;
const mostSequences = 40;
/** To make one fault's sequence shorter, in ms. */
const settleMs = 30_000;

interface SequenceOptions extends InputOptions, Omit<SequenceSettling, "usualMs"> {
  runs: number;
  /** Called after each sequence. */
  onCall?: (done: number) => void;
}

export interface FuzzedSequences {
  finds: FuzzFind[];
  /** Sequences that were not tried, as time was over. */
  missing: number;
}

/**
 * Finds faults not in `known`, each as a test of Tier 2.
 * @throws {PthError} when the server no longer starts; the signal's reason
 */
export async function fuzzSequences(
  tools: readonly ToolDefinition[],
  known: readonly FuzzFind[],
  options: SequenceOptions,
): Promise<FuzzedSequences> {
  const { server, seed, runs, limitMs, until, onCall } = options;
  const sequences = sequencesOf(tools, options);
  if (sequences === undefined) return { finds: [], missing: 0 };
  const told = new Set(known.filter(({ confirmed }) => confirmed).map(keyOf));
  const finds: FuzzFind[] = [];
  const wanted = drawing(toolSeed(seed, ""), Math.min(mostSequences, Math.ceil(runs / 2)));
  // A schema that does not end is reported where its tool is fuzzed alone.
  const drawn = inTime({}, () => fc.sample(sequences, wanted)).result ?? [];
  for (const [index, calls] of drawn.entries()) {
    if (server.now() > until) return { finds, missing: drawn.length - index };
    const met = await firstFault(calls, String(index), options);
    onCall?.(index + 1);
    if (met === undefined || told.has(keyOf(met.key))) continue;
    told.add(keyOf(met.key));
    const end = Math.min(until, server.now() + settleMs);
    const find = await settleSequence(met.fault, met.calls, {
      ...options,
      usualMs: limitMs / 10,
      until: end,
    });
    if (find !== undefined) finds.push(find);
  }
  return { finds, missing: 0 };
}

const keyOf = ({ tool, oracle, signature }: Pick<FuzzFind, "tool" | "oracle" | "signature">): string =>
  JSON.stringify([tool, oracle, signature]);

function sequencesOf(
  tools: readonly ToolDefinition[],
  options: InputOptions,
): fc.Arbitrary<PastCall[]> | undefined {
  const calls = tools.flatMap(({ name, inputSchema }) => {
    const inputs = toolInputs(inputSchema, options);
    return inputs === undefined
      ? []
      : [inputs.valid.map(({ input }): PastCall => ({ tool: name, input, isError: false }))];
  });
  if (calls.length === 0) return undefined;
  const length = { minLength: 2, maxLength: longestSequence, size: "max" } as const;
  // Most stay with one or two tools: what one call leaves, another of the same tool trips over.
  const few = fc.tuple(fc.nat(calls.length - 1), fc.nat(calls.length - 1)).chain(([one, other]) =>
    fc.array(fc.oneof(calls[one]!, calls[other]!), length)
  );
  return fc.oneof({ weight: 3, arbitrary: few }, fc.array(fc.oneof(...calls), length));
}

interface MetFault {
  fault: Fault;
  key: Pick<FuzzFind, "tool" | "oracle" | "signature">;
  /** Up to the one that showed it. */
  calls: readonly PastCall[];
}

/** The first fault of a sequence on a fresh server; what comes after it is not called. */
async function firstFault(
  calls: readonly PastCall[],
  path: string,
  { server, callable, limitMs }: SequenceOptions,
): Promise<MetFault | undefined> {
  await server.renew();
  for (const [index, { tool: name, input }] of calls.entries()) {
    const { tool, isValid } = callable(name)!;
    const call = await server.call({ tool, input, valid: isValid(input), limitMs });
    const [met] = complaints(call).filter(({ oracle }) => oracle.severity === "failure");
    if (met !== undefined) {
      const fault = { ...met, drawn: { input }, path, earlier: undefined };
      const key = { tool: name, oracle: met.oracle.name, signature: met.complaint.signature };
      return { fault, key, calls: calls.slice(0, index + 1) };
    }
    if (call.outcome === undefined) return undefined;
  }
  return undefined;
}
