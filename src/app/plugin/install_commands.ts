/** Checks of how the plugin installs where its source is not. */
import { join } from "node:path";
import type { InstallCommands } from "../../api/install_commands.ts";
import { PthError } from "../../core/errors.ts";
import { installKindNamed, installKindsOf } from "../../install_checks/install_kinds.ts";
import { hostFolder } from "../../plugin/readable_folder.ts";
import { runTask } from "../run_task.ts";
import { type SessionParts, withProgress } from "../session/session_parts.ts";

export const installCommands = (context: SessionParts): InstallCommands => ({
  kinds() {
    const { worktree, subfolder } = context.live.code.source!;
    return installKindsOf(hostFolder(join(worktree, subfolder)));
  },
  check: (check, options = {}) =>
    withProgress(context, options, async () => {
      installKindNamed(check.kind);
      if (context.live.environment.current === undefined) {
        throw new PthError("NOT_NOW", "Cannot check the installation: there is no environment", {
          next: [{ mcp: "Provision one first: pth_provision_environment" }],
        });
      }
      try {
        return await runTask(context, { type: "session.check_install", check }, options);
      } catch (error) {
        throw overdue(error) ?? error;
      }
    }),
});

/** The failure of a check that took too long, with the way out. */
function overdue(error: unknown): PthError | undefined {
  const { cause } = error as { cause?: unknown };
  if (!(cause instanceof Error) || cause.name !== "TimeoutError") return undefined;
  return new PthError("EXEC_FAILED", cause.message, {
    next: [{ terminal: "Give it more time: --timeout <seconds>" }],
  }, { cause });
}
