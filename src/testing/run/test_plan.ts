/** Plans which tests run, in which order, and on how many server instances. */
import { type Tier, tierNames } from "../../../machines/model/environment.ts";
import type { ClientCapability, ToolDefinition } from "../../../machines/model/plugin.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { PthError } from "../../core/errors.ts";
import type { TestFilter } from "../../api/harness.ts";
import { textExcerpt } from "../../core/text.ts";
import { testRounds } from "./test_rounds.ts";
import type { TestStatus } from "../../../machines/model/verdict.ts";

interface TestPlan {
  /** In the order in which they begin. */
  run: TestCase[];
  skipped: { test: TestCase; reason: string }[];
}

/** Facts besides the tests that the plan depends on. */
interface PlanningInput {
  /** Tier of the environment. */
  tier: Tier;
  /** Status of each test's last run by id, for the `status` filter. */
  statuses?: ReadonlyMap<string, TestStatus>;
  /** Tools of the server; of one that is missing it counts that it may write. */
  tools?: readonly ToolDefinition[];
  /** Whether an agent works on tests with a prompt. */
  agent?: boolean;
}

/**
 * Chooses and orders tests.
 * @throws {PthError} `NO_TESTS_MATCH` when nothing is left to run or to skip, `INVALID_INPUT` for a bad `grep`.
 */
export function planSuite(tests: readonly TestCase[], filter: TestFilter, facts: PlanningInput): TestPlan {
  const chosen = filterTests(tests, filter, facts.statuses);
  if (chosen.length === 0) throw noTests(tests, filter);
  const skipped = chosen.flatMap((test) => {
    const reason = whyNot(test, facts);
    return reason === undefined ? [] : [{ test, reason }];
  });
  const run = chosen.filter((test) => whyNot(test, facts) === undefined);
  return { run: orderTests(run, facts.tools), skipped };
}

/** Tests that fit every part of a filter. @throws {PthError} `INVALID_INPUT` for a `grep` that is no regular expression. */
export function filterTests(
  tests: readonly TestCase[],
  filter: TestFilter,
  statuses: ReadonlyMap<string, TestStatus> = new Map(),
): TestCase[] {
  const { tag, tier, status, generatedFrom, tool, ids } = filter;
  const grep = filter.grep === undefined ? undefined : grepPattern(filter.grep);
  const wanted = ids === undefined ? undefined : new Set(ids);
  return tests.filter((test) =>
    (tag === undefined || test.tags.includes(tag)) &&
    (tier === undefined || test.tier === tier) &&
    (status === undefined || statuses.get(test.id) === status) &&
    (generatedFrom === undefined || test.generatedFrom === generatedFrom) &&
    (tool === undefined || toolsOf(test).includes(tool)) &&
    (wanted === undefined || wanted.has(test.id)) &&
    (grep === undefined || grep.test(test.name))
  );
}

function grepPattern(grep: string): RegExp {
  try {
    return new RegExp(grep);
  } catch (cause) {
    throw new PthError("INVALID_INPUT", `Cannot filter tests: ${(cause as Error).message}`, {}, { cause });
  }
}

/** Names that an empty choice shows, as examples. */
const namesTold = 3;

function noTests(tests: readonly TestCase[], filter: TestFilter): PthError {
  const asked = Object.entries(filter).filter(([, value]) => value !== undefined);
  if (tests.length === 0 || asked.length === 0) {
    return new PthError("NO_TESTS_MATCH", "Cannot run tests: there are none", {
      next: [
        "Write tests in .pth/tests (docs/test-format.md), or let PTH generate them from the tools' schemas",
      ],
    });
  }
  const words = asked.map(([key, value]) => `${key} ${textExcerpt(value, 100)}`).join(", ");
  const tags = [...new Set(tests.flatMap((test) => test.tags))].sort();
  const names = tests.slice(0, namesTold).map(({ name }) => `"${name}"`).join(", ");
  return new PthError("NO_TESTS_MATCH", `Cannot run tests: none of ${tests.length} has ${words}`, {
    next: [
      ...(filter.grep === undefined
        ? []
        : [`Names that exist: ${names}${tests.length > namesTold ? " …" : ""}`]),
      ...(filter.grep !== undefined || tags.length === 0 ? [] : [`Tags that exist: ${tags.join(", ")}`]),
    ],
  });
}

/** Reason why a test cannot run in a suite, in an environment of this tier. */
const whyNot = (test: TestCase, { tier, agent = false }: PlanningInput): string | undefined =>
  tierReason(test, tier) ?? (test.prompt === undefined || agent ? undefined : needsAgent(test));

const needsAgent = ({ id }: TestCase): string => `a prompt test needs an agent: run it by its id, ${id}`;

/** Reason why a test cannot run below its tier. */
export function tierReason({ requiresTier }: Pick<TestCase, "requiresTier">, tier: Tier): string | undefined {
  if (requiresTier === undefined || requiresTier <= tier) return undefined;
  return `needs an environment of tier ${requiresTier} (${
    tierNames[requiresTier]
  }), this one is tier ${tier}`;
}

/**
 * Checks of the server first, each on an instance of its own; then tests of one call, written by hand in their order, before
 * generated ones leave traces in the server's state; those round by round, of a tool's tests the valid inputs before the
 * invalid ones. Tests of several steps come last, one by one.
 */
export function orderTests(tests: readonly TestCase[], tools: readonly ToolDefinition[] = []): TestCase[] {
  const names = [...new Set(tests.map((test) => test.tool))];
  const roundOf = testRounds(tools);
  const rank = (test: TestCase): [number, number, number, number] => {
    if (test.check !== undefined) return [0, 0, 0, 0];
    const byHand = !test.tags.includes("generated");
    if (test.tier !== 1) return [byHand ? 3 : 4, 0, 0, 0];
    if (byHand) return [1, 0, 0, 0];
    return [2, roundOf(test).round, names.indexOf(test.tool), test.tags.includes("invalid") ? 1 : 0];
  };
  // Sorting is stable: equal ranks keep their order.
  return tests.map((test) => ({ test, rank: rank(test) }))
    .sort((a, b) => a.rank.map((part, at) => part - b.rank[at]!).find((by) => by !== 0) ?? 0)
    .map(({ test }) => test);
}

/** One call with a valid input for each tool, at most `most`: what the check `leaves_no_process` exercises a server with. */
export function exerciseCalls(
  tests: readonly TestCase[],
  most = 20,
): { tool: string; input: Record<string, unknown> }[] {
  const valid = tests.filter((test) => test.tool !== undefined && test.expect.well_behaved === true);
  const first = valid.filter((test, index) => valid.findIndex(({ tool }) => tool === test.tool) === index);
  return first.slice(0, most).map(({ tool, input }) => ({ tool: tool!, input: input ?? {} }));
}

/**
 * Chooses the number of server instances of a suite, with the reason. "auto" is 1 unless every tool under test
 * declares itself read-only: instances share the environment's files, and tools may rely on being alone.
 * @throws {PthError} `INVALID_INPUT` for a number that is no whole number above 0.
 */
export function chooseWorkers(
  tests: readonly TestCase[],
  tools: readonly ToolDefinition[],
  cpus: number,
  asked: number | "auto" = "auto",
): { workers: number; reason: string } {
  if (asked !== "auto" && (!Number.isInteger(asked) || asked < 1)) {
    throw new PthError(
      "INVALID_INPUT",
      `Cannot choose workers: expected a whole number above 0, got ${asked}`,
    );
  }
  const parallel = tests.filter((test) => test.tier === 1);
  if (parallel.length <= 1) return { workers: 1, reason: "there is nothing to run side by side" };
  if (asked !== "auto") {
    if (asked <= parallel.length) return { workers: asked, reason: "as asked" };
    return { workers: parallel.length, reason: `asked for ${asked}, and there are ${parallel.length} tests` };
  }
  const called = new Set(parallel.flatMap((test) => test.tool ?? []));
  const readOnly = new Set(
    tools.filter((tool) => tool.annotations?.readOnlyHint === true).map((tool) => tool.name),
  );
  const writer = [...called].find((name) => !readOnly.has(name));
  if (writer !== undefined) {
    return {
      workers: 1,
      reason: `${writer} does not declare readOnlyHint: true; asking for a number of workers overrides this`,
    };
  }
  const workers = Math.max(1, Math.min(Math.floor(cpus), parallel.length));
  return {
    workers,
    reason: `every tool under test declares itself read-only; the environment has ${cpus} cpus`,
  };
}

/** Most servers that are started ahead: each takes memory. */
const mostAhead = 3;

/** Number of servers that are started ahead of the tests that will use them: those that the processors can start at once. */
export const serversAhead = (cpus: number, workers: number): number =>
  Math.min(mostAhead, Math.max(1, Math.floor(cpus) - workers));

/**
 * Capabilities of the client that a test needs: those that its steps have replies for, no more. Servers behave
 * differently by what their client declares, and a test should find the same server alone and among others.
 */
export function abilitiesOf({ steps = [] }: TestCase): ClientCapability[] {
  const scripted = (ability: ClientCapability) =>
    steps.some(({ replies }) => replies?.[ability] !== undefined);
  return (["elicitation", "roots", "sampling"] as const).filter(scripted);
}

/** In the order of their first call, each once; a prompt names none. */
export function toolsOf({ tool, steps }: TestCase): string[] {
  const called = (steps ?? []).flatMap(({ action }) => action.kind === "call" ? [action.tool] : []);
  return [...new Set([...(tool === undefined ? [] : [tool]), ...called])];
}
