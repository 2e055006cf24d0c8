/** Decides which generated tests have server instances of their own, so that no verdict hangs on what ran before. */
import type { ToolDefinition } from "../../../machines/model/plugin.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { count } from "../../core/text.ts";
import { isReadOnly } from "../generate/excluded_tools.ts";
import { testRounds } from "./test_rounds.ts";

/** Time in ms that starting servers for groups may take in all. */
const startsMs = 15_000;
/** Groups that there are however long a start takes. */
const leastGroups = 3;

const readersGroup = "tools that only read";
const sharedGroup = "tools that share a server";

interface TestGroups {
  /** Group of a test, by its id; tests by hand have none. */
  groups: ReadonlyMap<string, string>;
  /** Said of the servers, in a line about them; absent where each test shares one. */
  reason?: string;
}

/**
 * Tests of one call that were generated: those of a tool that may write are a group, those of all tools that declare
 * themselves read-only are one together. Those of boundary and of invalid inputs run later, and so are groups of their own,
 * where several tools may write. Where a start takes long, tools beyond the time for starts share a server.
 */
export function groupTests(
  tests: readonly TestCase[],
  tools: readonly ToolDefinition[],
  startMs: number,
): TestGroups {
  const readOnly = new Set(tools.filter(isReadOnly).map(({ name }) => name));
  const grouped = tests.filter(isGrouped);
  const writers = [...new Set(grouped.map(({ tool }) => tool!))].filter((tool) => !readOnly.has(tool));
  const roundOf = testRounds(tools);
  const kinds = new Set(grouped.map((test) => roundOf(test).inputs));
  const isSplit = writers.length > 1 && kinds.size > 1;
  const most = Math.max(
    leastGroups,
    Math.floor(startsMs / Math.max(1, startMs) / (isSplit ? kinds.size : 1)),
  );
  const own = new Set(writers.slice(0, most));
  const sharing = writers.slice(most);
  const groupOf = (tool: string): string =>
    own.has(tool) ? `tool ${tool}` : readOnly.has(tool) ? readersGroup : sharedGroup;
  const partOf = (test: TestCase): string => {
    if (!isSplit || readOnly.has(test.tool!)) return "";
    const { round, inputs } = roundOf(test);
    return `, round ${round}, ${inputs} inputs`;
  };
  const groups = new Map(grouped.map((test) => [test.id, `${groupOf(test.tool!)}${partOf(test)}`]));
  if (own.size === 0) return { groups };
  const others = sharing.length === 0
    ? ""
    : `; ${count(sharing.length, "more tool")} share one, as a start takes ${(startMs / 1000).toFixed(1)} s`;
  const reason = `generated tests of ${
    count(own.size, "tool")
  } that may write have a server for each tool${others}`;
  return { groups, reason };
}

const isGrouped = ({ tool, tier, generatedFrom, check, steps, setup, teardown }: TestCase): boolean =>
  generatedFrom !== "manual" && tier === 1 && tool !== undefined && check === undefined &&
  steps === undefined &&
  setup.length === 0 && teardown.length === 0;
