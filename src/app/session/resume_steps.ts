/** Slot of the machine that resumes a session. */
import { fromPromise } from "xstate";
import type { SessionState } from "../../../machines/model/session_state.ts";
import type { SessionParts } from "./session_parts.ts";

export const resumeSteps = (contextOf: () => SessionParts) => ({
  generate: fromPromise<void, void>(async ({ signal }) => {
    const context = contextOf();
    if (countMissingTests(context.live.code.resumed!, context) > 0) {
      const { generateCommand } = await import("../tests/generate_command.ts");
      await generateCommand(context).generate({}, { signal });
    }
  }),
});

/** Counts the tests with a saved result that are not among those of the session. */
export function countMissingTests({ tests }: SessionState, { tests: { all: loaded } }: SessionParts): number {
  const there = new Set(loaded.map(({ id }) => id));
  return Object.keys(tests).filter((id) => !there.has(id)).length;
}
