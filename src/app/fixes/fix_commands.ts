/** Requests about fixes: a commit on the branch and, where asked for, the environment with it. */
import type {
  FixHistory,
  FixQuery,
  FixRecord,
  FixRequest,
  SessionDiff,
} from "../../../machines/model/fix.ts";
import { asPthError, PthError } from "../../core/errors.ts";
import type {
  AppliedFix,
  FixCommands,
  PluginCommands,
  ReloadReport,
  RequestOptions,
  RevertedFix,
  SnapshotCommands,
} from "../../api/harness.ts";
import { sendRequest } from "../send_request.ts";
import { compareReloadedTools } from "../plugin/compare_reloaded_tools.ts";
import { type SessionContext, withProgress } from "../session/session_context.ts";
import { workOnBranch } from "./work_on_branch.ts";

type OwnCommands = Pick<FixCommands, "apply" | "revert" | "history" | "diff" | "dropSnapshot">;
interface Others {
  plugin: Pick<PluginCommands, "load" | "reload">;
  snapshots: Pick<SnapshotCommands, "take">;
}

export function fixCommands(context: SessionContext, others: Others): OwnCommands {
  const { actor, live } = context;
  const work = <Result>(kind: string, args: object, options?: RequestOptions) =>
    workOnBranch<Result>(context, kind, args, options);

  async function applyFix(
    { reload = false, ...request }: FixRequest & { reload?: boolean },
    options: RequestOptions = {},
  ): Promise<AppliedFix> {
    if (reload) live.environment.require();
    const named = { ...request, tests: request.tests.map((test) => nameOf(context, test)) };
    const snapshot = request.snapshot ? await gate(named, options) : undefined;
    const fix = await work<FixRecord>("apply_fix", { request: named, snapshot }, options)
      .catch(async (error) => {
        if (snapshot !== undefined) await work("drop_fix_snapshot", { snapshot });
        throw error;
      });
    const applied = { fix, ...(snapshot === undefined ? {} : { snapshot }) };
    return reload ? { ...applied, reload: await bringIn(fix, options) } : applied;
  }

  /** Snapshot before a risky fix, once it is known that its edits apply. */
  async function gate(request: FixRequest, options: RequestOptions): Promise<string> {
    const { runtime } = live.environment.require();
    if (runtime.abilities.snapshots === false) {
      throw new PthError("UNSUPPORTED", `Cannot save a snapshot: the ${runtime.name} runtime has none`, {
        next: [
          "Apply the fix without it: snapshot: false",
          { mcp: "Or provision an environment of another runtime first: pth_reprovision_environment" },
        ],
      });
    }
    await work("check_fix", { request }, options);
    const tag = `before-fix-${crypto.randomUUID().slice(0, 8)}`;
    return (await others.snapshots.take(tag, options)).snapshot;
  }

  async function revertFix(
    { commit, reload = false }: { commit: string; reload?: boolean },
    options: RequestOptions = {},
  ): Promise<RevertedFix> {
    if (reload) live.environment.require();
    const checked = await work<{ commit: string; snapshot?: string; lostSnapshot: boolean }>(
      "check_revert",
      { commit },
      options,
    );
    if (checked.snapshot !== undefined) {
      await sendRequest(actor, { type: "session.rollback", snapshot: checked.snapshot }, {
        signal: options.signal,
      });
    }
    const revert = await work<FixRecord>("revert_fix", { commit: checked.commit }, options);
    const rolledBack = checked.snapshot !== undefined;
    if (rolledBack) await work("drop_fix_snapshots_since", { commit: checked.commit });
    const reverted = { revert, rolledBack, lostSnapshot: checked.lostSnapshot };
    // Also one that did not start with the fix.
    const again = reload || (rolledBack && (context.plugin ?? context.lostPlugin) !== undefined);
    return again ? { ...reverted, reload: await bringIn(revert, options) } : reverted;
  }

  /** Makes the plugin run as the branch has it now. */
  async function bringIn({ commit, type }: FixRecord, options: RequestOptions): Promise<ReloadReport> {
    try {
      if (context.plugin ?? context.loadRequest) return await others.plugin.reload(options);
      const { tools } = await others.plugin.load({}, options);
      return { closed: [], tools: compareReloadedTools([], tools) };
    } catch (thrown) {
      const error = asPthError(thrown);
      const what = `The ${type} ${commit.slice(0, 10)} is committed`;
      throw new PthError(error.code, `${what}, but the plugin does not load with it. ${error.message}`, {
        ...error.context,
        commit,
        next: [
          { mcp: `Take it back: pth_revert_fix({ commit: "${commit.slice(0, 10)}" })` },
          "Or fix what it broke",
        ],
      }, { cause: thrown });
    }
  }

  return {
    apply: (request, options = {}) => withProgress(context, options, () => applyFix(request, options)),
    revert: (request, options = {}) => withProgress(context, options, () => revertFix(request, options)),
    history: (query: FixQuery = {}, options) =>
      work<FixHistory>("fix_history", {
        ...query,
        ...(query.test === undefined ? {} : { test: nameOf(context, query.test) }),
      }, options),
    diff: (request = {}, options) => work<SessionDiff | undefined>("diff_session", request, options),
    dropSnapshot: (commit, options) => work<{ dropped: boolean }>("drop_fix_snapshot", { commit }, options),
  };
}

/** Commits name tests as people do; ids are for requests. */
const nameOf = ({ tests }: SessionContext, test: string): string =>
  tests.find(({ id }) => id === test)?.name ?? test;
