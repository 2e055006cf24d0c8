import type { StuckRun } from "../../machines/model/project_test_run.ts";
import type { ProjectPlace } from "./project_place.ts";
import type { RunProblem } from "./test_log.ts";

interface RunInPlace {
  live: {
    place: Pick<ProjectPlace, "kind" | "isCopy">;
    log: { problems: readonly Pick<RunProblem, "isBeforeTests">[] };
  };
  stuck: readonly StuckRun[];
  /** Reason why a command was not watched. */
  unwatched?: string;
}

/**
 * Says what the place lacks to run the tests, to watch them, or to show the stacks of those that were stuck; undefined where
 * nothing.
 */
export function placeHint(
  { live: { place: { kind, isCopy }, log }, stuck, unwatched }: RunInPlace,
): string | undefined {
  if (isCopy && log.problems.some(({ isBeforeTests }) => isBeforeTests)) {
    return `What is missing has to be declared for the project's tests, or to be there (${kind}).`;
  }
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
