import type { StuckRun } from "../../machines/model/project_test_run.ts";
import type { ProjectPlace } from "./project_place.ts";

interface WatchedRun {
  live: { place: Pick<ProjectPlace, "kind"> };
  stuck: readonly StuckRun[];
  /** Reason why a command was not watched. */
  unwatched?: string;
}

/** Says what the place lacks to watch tests, or to show the stacks of those that were stuck; undefined where nothing. */
export function watchHint({ live: { place: { kind } }, stuck, unwatched }: WatchedRun): string | undefined {
  if (unwatched !== undefined) {
    return `Tests were not watched for being stuck (${unwatched}), and the time limit alone ends them: ` +
      `watching takes /proc, and Node 20 or Deno, there (${kind}).`;
  }
  const hasNoStacks = stuck.some(({ stacks }) =>
    stacks !== undefined && /^(?:none|\/proc)$/.test(stacks.method)
  );
  return hasNoStacks
    ? `Stacks take a debugger, gdb or eu-stack, and the permission to trace, there (${kind}).`
    : undefined;
}
