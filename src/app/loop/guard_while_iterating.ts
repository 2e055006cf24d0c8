/** What whoever drives may ask for while the loop is under way: to look, and to end; what it works on is the loop's. */
import { PthError } from "../../core/errors.ts";
import type { Session } from "../../api/harness.ts";
import { isLooping, isMatrixRunning, type SessionContext } from "../session/session_context.ts";

/** Requests that would pull environment, plugin, tests or worktree from under it, and what each does. */
const actions = {
  provision: "provision environment",
  destroyEnvironment: "destroy environment",
  reprovision: "replace environment",
  rollback: "roll back",
  dropSnapshot: "drop a snapshot",
  verifyClean: "verify in a clean environment",
  load: "load plugin",
  reload: "reload plugin",
  generateTests: "generate tests",
  useTests: "use other tests",
  createTest: "create test",
  editTest: "edit test",
  deleteTest: "delete test",
  runTest: "run test",
  runSuite: "run suite",
  takeChanges: "take changes",
  fuzz: "fuzz",
  beginAgentRun: "begin a run",
  applyFix: "apply fix",
  revertFix: "revert fix",
  updateDocs: "update the documentation",
  exportCi: "export tests",
  checkContract: "check the contract",
  measurePerformance: "measure performance",
  iterate: "iterate",
  verifyDistros: "verify distributions",
} satisfies { [name in keyof Session]?: string };

/** The commands as the outside gets them; the loop itself has them unguarded. */
export function guardWhileIterating(context: SessionContext, commands: Session): Session {
  const guarded = Object.entries(actions).map(([name, action]) => {
    const request = commands[name as keyof typeof actions] as (...args: unknown[]) => Promise<unknown>;
    return [name, async (...args: unknown[]) => {
      refuseMeanwhile(context, action, commands);
      return await request(...args);
    }];
  });
  const recordCalls: Session["recordCalls"] = {
    ...commands.recordCalls,
    // Its scenario joins the tests.
    async stop(options) {
      refuseMeanwhile(context, "keep the recording", commands);
      return await commands.recordCalls.stop(options);
    },
  };
  return { ...commands, ...Object.fromEntries(guarded), recordCalls };
}

/** @throws {PthError} `NOT_NOW` */
function refuseMeanwhile(context: SessionContext, action: string, commands: Session): void {
  if (isMatrixRunning(context)) {
    throw new PthError("NOT_NOW", `Cannot ${action}: distributions are being verified`, {
      next: [{ mcp: "Wait for the answer of pth_verify_cross_distro, or cancel that request" }],
    });
  }
  if (isLooping(context)) throw underWay(action, commands);
}

function underWay(action: string, { iterationStatus }: Session): PthError {
  const { iteration, phase } = iterationStatus();
  return new PthError(
    "NOT_NOW",
    `Cannot ${action}: the loop is under way (iteration ${iteration}, ${phase})`,
    {
      next: [
        { mcp: "Wait for the answer of pth_run_iteration or pth_run_iteration_loop, or cancel that request" },
        { mcp: "See how far it is: pth_get_iteration_status({})" },
      ],
    },
  );
}
