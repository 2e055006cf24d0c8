/** Maps tests to code by reading the source, for plugins that cannot be measured. */
import type { ImpactMap, TestReach } from "../../../machines/model/coverage.ts";
import type { TestCase } from "../../../machines/model/test_case.ts";
import type { PluginSources } from "../../plugin/plugin_sources.ts";
import { toolsOf } from "../run/test_plan.ts";

/**
 * A test reaches the handlers of its tools, all functions that they call by name, and, as a whole, each file that these
 * import: rather too much than too little.
 * @param why nothing was measured
 */
export async function staticMap(
  sources: PluginSources,
  tests: readonly TestCase[],
  tools: readonly string[],
  why: string,
): Promise<ImpactMap> {
  const { toolHandlers } = await import("../source_analysis/handlers.ts");
  const handlers = await toolHandlers(sources, tools);
  const reachOf = new Map(handlers.map((handler) => [handler.tool, reachOfHandler(handler)]));
  const missing = tools.filter((tool) => !reachOf.has(tool));
  return {
    source: "static",
    tests: Object.fromEntries(
      tests.map((test) => [test.id, toolsOf(test).flatMap((tool) => reachOf.get(tool) ?? [])]),
    ),
    notes: [
      `${why}: read from the source, so tests may be listed that a change does not reach`,
      ...missing.length === 0 ? [] : [`no handler was found in the source of ${missing.join(", ")}`],
    ],
  };
}

type Handler = Awaited<ReturnType<typeof import("../source_analysis/handlers.ts").toolHandlers>>[number];

const reachOfHandler = ({ imports, reaches, path, line, tool }: Handler): TestReach[] =>
  imports.map((file) => ({
    path: file,
    functions: [
      ...(file === path ? [`${tool}:${line}`] : []),
      ...reaches.filter((one) => one.path === file).map(({ name, line }) => `${name}:${line}`),
    ],
  }));
