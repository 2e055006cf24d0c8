/** Rows of calls on one server, for faults that no single call shows: state that an earlier call left. */
import fc from "fast-check";
import type { FuzzFind } from "../../../machines/model/fuzz.ts";
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import { serializeTests } from "../format/serialize_tests.ts";
import { type FuzzInput, toolInputs } from "./arbitraries/inputs.ts";
import { type FuzzServer, hangFactor } from "./fuzz_server.ts";
import { inTime } from "../json_schema/example_input.ts";
import { foundSequence, type SeenStep } from "./found_test.ts";
import type { FuzzToolOptions } from "./fuzz_tool.ts";
import type { OracleDefinition, OracleViolation } from "./oracle.ts";
import { registry } from "./oracles/_registry.ts";
import { toolSeed } from "./seeds.ts";
import { drawing, shrink } from "./shrink.ts";

/** Calls of one row at most, and rows at most: each begins on a server that has just been started. */
const longestRow = 10;
const mostRows = 40;
const shrinkBudgetMs = 8_000;

/** Oracles whose faults a test of several steps can show, for any tool. */
const oracles = registry.filter(({ name }) => /^(?:crash|hang|protocol_error|output_schema)$/.test(name));

interface Call extends FuzzInput {
  tool: string;
}

interface Failure {
  oracle: OracleDefinition;
  complaint: OracleViolation;
  tool: string;
  steps: SeenStep[];
}

/**
 * Finds faults not in `known`, each as a test of Tier 2.
 * @throws {PthError} when the server no longer starts; the signal's reason
 */
export async function fuzzSequences(
  tools: readonly ToolDefinition[],
  server: FuzzServer,
  known: readonly FuzzFind[],
  options: FuzzToolOptions,
): Promise<FuzzFind[]> {
  const rows = rowsOf(tools, options);
  if (rows === undefined) return [];
  const seed = toolSeed(options.seed, "");
  const told = new Set(known.filter(({ confirmed }) => confirmed).map(keyOf));
  const finds: FuzzFind[] = [];
  const wanted = drawing(seed, Math.min(mostRows, Math.ceil(options.runs / 2)));
  // A schema that does not end is reported where its tool is fuzzed alone.
  const drawn = inTime({}, () => fc.sample(rows, wanted)).result ?? [];
  for (const [index, row] of drawn.entries()) {
    if (performance.now() > options.deadline) break;
    const failure = await runRow(callsOf(row), tools, server, options.limitMs);
    options.onCall?.(index + 1);
    if (failure === undefined || told.has(keyOf(failureKey(failure)))) continue;
    told.add(keyOf(failureKey(failure)));
    if (failure.oracle.name === "hang") {
      const late = await runRow(callsOf(row), tools, server, options.limitMs * hangFactor);
      if (late === undefined) continue;
    }
    const find = await settle({ row, index, seed, failure }, rows, tools, server, options);
    if (find !== undefined) finds.push(find);
  }
  return finds;
}

const keyOf = ({ tool, oracle, signature }: Pick<FuzzFind, "tool" | "oracle" | "signature">): string =>
  JSON.stringify([tool, oracle, signature]);

const failureKey = ({ tool, oracle, complaint: { signature } }: Failure) => ({
  tool,
  oracle: oracle.name,
  signature,
});

/** A row is an input of its own kind, so that it shrinks as one: `{ calls: [{ tool, input }, …] }`. */
function rowsOf(
  tools: readonly ToolDefinition[],
  options: FuzzToolOptions,
): fc.Arbitrary<FuzzInput> | undefined {
  const calls = tools.flatMap(({ name, inputSchema }) => {
    const inputs = toolInputs(inputSchema, options);
    return inputs === undefined ? [] : [inputs.valid.map(({ input }): Call => ({ tool: name, input }))];
  });
  if (calls.length === 0) return undefined;
  // Most rows stay with one or two tools: what one call leaves, another of the same tool trips over.
  const few = fc.tuple(fc.nat(calls.length - 1), fc.nat(calls.length - 1)).chain(([one, other]) =>
    fc.array(fc.oneof(calls[one]!, calls[other]!), { minLength: 2, maxLength: longestRow, size: "max" })
  );
  const any = fc.array(fc.oneof(...calls), { minLength: 2, maxLength: longestRow, size: "max" });
  return fc.oneof({ weight: 3, arbitrary: few }, any).map((row): FuzzInput => ({ input: { calls: row } }));
}

const callsOf = ({ input }: FuzzInput): Call[] => input.calls as Call[];

/** The first fault of a row on a fresh server; what comes after it is not called. */
async function runRow(
  calls: readonly Call[],
  tools: readonly ToolDefinition[],
  server: FuzzServer,
  limitMs: number,
): Promise<Failure | undefined> {
  await server.renew();
  const steps: SeenStep[] = [];
  for (const { tool: name, input } of calls) {
    const tool = tools.find((each) => each.name === name)!;
    const call = await server.call({ tool, input, valid: true, limitMs });
    steps.push({ tool: name, input, isError: call.outcome?.isError === true });
    for (const oracle of oracles) {
      const complaint = oracle.judge?.(call);
      if (complaint !== undefined) return { oracle, complaint, tool: name, steps };
    }
  }
  return undefined;
}

interface Drawn {
  row: FuzzInput;
  index: number;
  seed: number;
  failure: Failure;
}

async function settle(
  { row, index, seed, failure }: Drawn,
  rows: fc.Arbitrary<FuzzInput>,
  tools: readonly ToolDefinition[],
  server: FuzzServer,
  { limitMs, seed: asked }: FuzzToolOptions,
): Promise<FuzzFind | undefined> {
  const wanted = keyOf(failureKey(failure));
  const same = async (candidate: FuzzInput, limit: number) => {
    const again = await runRow(callsOf(candidate), tools, server, limit);
    return again !== undefined && keyOf(failureKey(again)) === wanted ? again : undefined;
  };
  const soon = Math.min(limitMs, 500);
  const smaller = await shrink(
    rows,
    { seed, index, first: row },
    async (candidate) => await same(candidate, soon) !== undefined,
    shrinkBudgetMs,
  );
  const confirmed = await same(smaller, limitMs);
  // One call alone is enough: the search for single calls missed the input, and a test of one step shows the fault as well.
  const { oracle, complaint, tool, steps } = confirmed ?? failure;
  const input = steps.at(-1)!.input;
  const find = {
    ...failureKey(failure),
    severity: oracle.severity,
    ...(complaint.category === undefined ? {} : { category: complaint.category }),
    message: `${complaint.message}\n  after ${steps.length - 1} other calls`,
    original: row.input,
    input,
    steps: steps.map((step) => ({ tool: step.tool, input: step.input })),
    shrinks: smaller.shrinks,
    shrinkMs: Math.round(smaller.tookMs),
    confirmed: confirmed !== undefined,
    seed: asked,
    path: smaller.path,
  };
  if (confirmed === undefined) return { ...find, tool };
  const test = foundSequence(find, steps, limitMs);
  return { ...find, test, yaml: serializeTests([test]) };
}
