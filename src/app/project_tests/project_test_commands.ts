import type { ProjectTestCommands } from "../../api/project_test_commands.ts";
import { runTask } from "../run_task.ts";
import { type SessionParts, withProgress } from "../session/session_parts.ts";
import { overdueTests } from "./project_test_runs.ts";

/** Runs of the plugin's own tests in the session's environment. */
export const projectTestCommands = (context: SessionParts): ProjectTestCommands => ({
  run: ({ folder = "", ...asked }, options = {}) =>
    withProgress(context, options, async () => {
      const run = { ...asked, projectRoot: folder };
      // Before the request is recorded.
      context.live.secrets.hideVariables(run.env);
      try {
        return await runTask(context, { type: "session.run_project_tests", run }, options);
      } catch (error) {
        throw overdueTests((error as { cause?: unknown }).cause) ?? error;
      }
    }),
});
