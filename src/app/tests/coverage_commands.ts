/** Requests about what tests run of the plugin's code. */
import { join } from "node:path";
import type { ImpactMap } from "../../../machines/model/coverage.ts";
import { madeSources, pluginSources } from "../../actors/session/session_sources.ts";
import { folderSources } from "../../plugin/plugin_sources.ts";
import { PthError } from "../../core/errors.ts";
import type { CoverageCommands } from "../../api/harness.ts";
import { fetchedFolder } from "../../testing/coverage/line_ranges.ts";
import { knownUnloaded } from "../../testing/coverage/measured_suite.ts";
import type { DiffAccess } from "./changed_since.ts";
import type { SessionParts } from "../session/session_parts.ts";

/** Files of what was fetched from a registry are shown, and may be named, as they lie in its package. */
function fullPath({ live }: SessionParts, path: string): string {
  const fetched = fetchedFolder(live.code.source!.source);
  return fetched === undefined || path.startsWith(`${fetched}/`) ? path : `${fetched}/${path}`;
}

export function coverageCommands(
  context: SessionParts,
  others: DiffAccess,
): CoverageCommands {
  return {
    report() {
      if (context.measurements.suite) return context.measurements.suite.coverage;
      const problem = context.live.coverage.problem;
      throw new PthError("NOT_NOW", `Cannot show coverage: ${problem ?? "no suite was measured yet"}`, {
        next: problem === undefined
          ? [{
            terminal: "Run the tests with it: pth run --coverage",
            mcp: "Run the tests with it: pth_run_test_suite({ coverage: true })",
          }]
          : [{ mcp: "Ask which tests a change affects, read from the source: pth_get_test_impact" }],
      });
    },
    async impact(request, options) {
      const [{ impactOf }, { changedSince, placesOf }] = await Promise.all([
        import("../../testing/coverage/impact_of.ts"),
        import("./changed_since.ts"),
      ]);
      const map = await mapOf(context);
      const { worktree, subfolder } = context.live.code.source!;
      const own = folderSources(join(worktree, subfolder));
      const inside = madeSources(context.live);
      // What only the environment held is looked for there; what the host held and has no more is gone.
      const read = (path: string) => (context.measurements.suite?.made.has(path) ? inside : own).read(path);
      const places = request.files !== undefined
        ? placesOf(request.files).map((place) => ({ ...place, path: fullPath(context, place.path) }))
        : await changedSince(context, request.commit, { read, ...others }, options);
      const listed = new Set(await pluginSources(context.live).list());
      return impactOf(
        map,
        places,
        context.tests.all.map(({ id }) => id),
        knownUnloaded(map, listed),
      );
    },
  };
}

const mapOf = async (context: SessionParts): Promise<ImpactMap> =>
  context.measurements.suite?.impact ??
    await readMap(context, context.live.coverage.problem ?? "no suite was measured yet");

export async function readMap(context: SessionParts, why: string): Promise<ImpactMap> {
  const { staticMap } = await import("../../testing/coverage/static_map.ts");
  return await staticMap(
    pluginSources(context.live),
    context.tests.all,
    context.live.plugin.tools.map(({ name }) => name),
    why,
  );
}
