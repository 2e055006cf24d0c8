/** Slot of the fix machine. */
import { fromPromise } from "xstate";
import type { CheckpointArgs } from "../../../machines/model/branch_work.ts";
import { iterationCommands } from "../loop/iteration_commands.ts";
import type { SessionParts } from "../session/session_parts.ts";
import { testCommands } from "../tests/test_commands.ts";
import { checkpointArgs } from "./checkpoint_command.ts";

export const fixSteps = (contextOf: () => SessionParts) => ({
  summarize: fromPromise<CheckpointArgs, void>(() => {
    const context = contextOf();
    const { records, groups } = iterationCommands(context, testCommands(context)).status();
    return Promise.resolve(checkpointArgs(context, { records, causes: groups }));
  }),
});
