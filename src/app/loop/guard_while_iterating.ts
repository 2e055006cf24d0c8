/** Limits the client's requests while the loop runs to reading and ending; the loop's own resources stay its own. */
import { PthError } from "../../core/errors.ts";
import type { Session } from "../../api/harness.ts";
import { isLooping, isMatrixRunning, type SessionParts } from "../session/session_parts.ts";

type Actions = { [Group in keyof Session]?: { [Name in keyof Session[Group]]?: string } };

/** Requests that would pull environment, plugin, tests or worktree from under it, and what each does. */
const actions = {
  environment: {
    provision: "provision environment",
    destroy: "destroy environment",
    reprovision: "replace environment",
  },
  snapshots: { rollBack: "roll back", drop: "drop a snapshot" },
  plugin: {
    load: "load plugin",
    reload: "reload plugin",
    takeChanges: "take changes",
    measurePerformance: "measure performance",
  },
  contract: { check: "check the contract" },
  tests: {
    runClean: "verify in a clean environment",
    generate: "generate tests",
    use: "use other tests",
    create: "create test",
    edit: "edit test",
    delete: "delete test",
    run: "run test",
    runSuite: "run suite",
    fuzz: "fuzz",
  },
  agentRuns: { begin: "begin a run" },
  fixes: { apply: "apply fix", revert: "revert fix" },
  loop: { run: "iterate", runMatrix: "verify distributions" },
  export: { docs: "update the documentation", ci: "export tests" },
} satisfies Actions;

type Request = (...args: unknown[]) => Promise<unknown>;

/** The commands as the outside gets them; the loop itself has them unguarded. */
export function guardWhileIterating(context: SessionParts, commands: Session): Session {
  const guarded = Object.entries(actions).map(([group, names]) => {
    const own = commands[group as keyof typeof actions] as unknown as Record<string, Request>;
    const requests = Object.entries(names).map(([name, action]) => {
      const request: Request = async (...args) => {
        refuseMeanwhile(context, action, commands);
        return await own[name]!(...args);
      };
      return [name, request];
    });
    return [group, { ...own, ...Object.fromEntries(requests) }];
  });
  const session = { ...commands, ...Object.fromEntries(guarded) } as Session;
  const recordCalls: Session["tests"]["recordCalls"] = {
    ...commands.tests.recordCalls,
    // Its scenario joins the tests.
    async stop(options) {
      refuseMeanwhile(context, "keep the recording", commands);
      return await commands.tests.recordCalls.stop(options);
    },
  };
  return { ...session, tests: { ...session.tests, recordCalls } };
}

/** @throws {PthError} `NOT_NOW` */
function refuseMeanwhile(context: SessionParts, action: string, commands: Session): void {
  if (isMatrixRunning(context)) {
    throw new PthError("NOT_NOW", `Cannot ${action}: distributions are being verified`, {
      next: [{ mcp: "Wait for the answer of pth_verify_cross_distro, or cancel that request" }],
    });
  }
  if (isLooping(context)) throw underWay(action, commands);
}

function underWay(action: string, { loop }: Session): PthError {
  const { iteration, phase } = loop.status();
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
