/** Requests about fixes: a commit on the branch and, where asked for, the environment with it. */
import type { BranchWork } from "../../../machines/model/branch_work.ts";
import { CommittedNotLoaded } from "../../../machines/fix_machine.ts";
import type { FixQuery, FixRequest } from "../../../machines/model/fix.ts";
import { asPthError, PthError } from "../../core/errors.ts";
import type { AppliedFix, FixCommands, RequestOptions, RevertedFix } from "../../api/harness.ts";
import type { EnvironmentRuntime } from "../../runtimes/runtime.ts";
import { runTask } from "../run_task.ts";
import { publicError } from "../send_request.ts";
import { type SessionParts, withProgress } from "../session/session_parts.ts";
import { noteUnsaved } from "./checkpoint_command.ts";
import { workOnBranch } from "./work_on_branch.ts";

type OwnCommands = Pick<FixCommands, "apply" | "revert" | "history" | "diff" | "dropSnapshot">;
export function fixCommands(context: SessionParts): OwnCommands {
  const { live } = context;
  const work = <Kind extends keyof BranchWork>(
    kind: Kind,
    args: BranchWork[Kind]["args"],
    options?: RequestOptions,
  ) => workOnBranch(context, kind, args, options);

  async function applyFix(
    { reload = false, ...request }: FixRequest & { reload?: boolean },
    options: RequestOptions = {},
  ): Promise<AppliedFix> {
    if (reload) live.environment.require();
    const { fix, snapshot, reloaded, unsaved } = await runTask(context, {
      type: "session.apply_fix",
      request: checkedFix(context, request),
      reload,
      save: live.mode === "session",
    }, options).catch((error) => Promise.reject(asNotLoaded(error)));
    if (unsaved !== undefined) noteUnsaved(context, publicError(unsaved));
    return {
      fix,
      ...(snapshot === undefined ? {} : { snapshot }),
      ...(reloaded === undefined ? {} : { reload: reloaded }),
    };
  }

  async function revertFix(
    { commit, reload = false }: { commit: string; reload?: boolean },
    options: RequestOptions = {},
  ): Promise<RevertedFix> {
    if (reload) live.environment.require();
    const { reloaded, ...reverted } = await runTask(context, {
      type: "session.revert_fix",
      commit,
      reload,
    }, options).catch((error) => Promise.reject(asNotLoaded(error)));
    return { ...reverted, ...(reloaded === undefined ? {} : { reload: reloaded }) };
  }

  return {
    apply: (request, options = {}) => withProgress(context, options, () => applyFix(request, options)),
    revert: (request, options = {}) => withProgress(context, options, () => revertFix(request, options)),
    history: (query: FixQuery = {}, options) =>
      work("fix_history", {
        ...query,
        ...(query.test === undefined ? {} : { test: nameOf(context, query.test) }),
      }, options),
    diff: (request = {}, options) => work("diff_session", request, options),
    dropSnapshot: (commit, options) => work("drop_fix_snapshot", { commit }, options),
  };
}

/** Completes a fix for the session: its tests by name. @throws {PthError} `UNSUPPORTED` where no snapshot can be taken */
export function checkedFix(context: SessionParts, request: FixRequest): FixRequest {
  if (request.snapshot) requireSnapshots(context.live.environment.require().runtime);
  return { ...request, tests: request.tests.map((test) => nameOf(context, test)) };
}

/** @throws {PthError} `UNSUPPORTED` */
function requireSnapshots({ name, abilities }: EnvironmentRuntime): void {
  if (abilities.snapshots !== false) return;
  throw new PthError("UNSUPPORTED", `Cannot save a snapshot: the ${name} runtime has none`, {
    next: [
      "Apply the fix without it: snapshot: false",
      { mcp: "Or provision an environment of another runtime first: pth_reprovision_environment" },
    ],
  });
}

/** The commit stands: whoever asked for it hears how to take it back. */
function asNotLoaded(thrown: unknown): PthError {
  const error = asPthError(thrown);
  if (!(error.cause instanceof CommittedNotLoaded)) return error;
  const { commit: { commit, type }, cause } = error.cause;
  const failure = publicError(cause);
  const what = `The ${type} ${commit.slice(0, 10)} is committed`;
  return new PthError(failure.code, `${what}, but the plugin does not load with it. ${failure.message}`, {
    ...failure.context,
    commit,
    next: [
      { mcp: `Take it back: pth_revert_fix({ commit: "${commit.slice(0, 10)}" })` },
      "Or fix what it broke",
    ],
  }, { cause: failure });
}

/** Commits name tests as people do; ids are for requests. */
const nameOf = ({ tests }: SessionParts, test: string): string =>
  tests.known.find(({ id }) => id === test)?.name ?? test;
