/** Slots of the load machine. */
import { fromPromise } from "xstate";
import type { LoadFailure, LoadStep, SettledPlugin } from "../../../machines/load_machine.ts";
import type { ContractCheck } from "../../../machines/model/contract.ts";
import type { LoadedPlugin } from "../../../machines/model/session.ts";
import type { PluginPlan, ToolDefinition } from "../../../machines/model/plugin.ts";
import { beginLoadDrift, endLoadDrift } from "../../actors/environment/load_drift.ts";
import type { ReloadReport } from "../../api/harness.ts";
import { PthError } from "../../core/errors.ts";
import { askForConfig } from "../environment/ask_for_config.ts";
import { dependencyStatus } from "../environment/dependencies.ts";
import { recordTier } from "../environment/record_tier.ts";
import { sampleResources } from "../environment/sample_resources.ts";
import { publicError } from "../send_request.ts";
import { lastLoad, type SessionParts } from "../session/session_parts.ts";
import { discoverTests } from "../tests/discover_tests.ts";
import { pluginStatus } from "./plugin_status.ts";
import { definedOnly, isObject } from "../../core/values.ts";

export function loadSteps(contextOf: () => SessionParts) {
  /** When the latest reload began. */
  let began = 0;
  return {
    observe: fromPromise<void, LoadStep>(async ({ input: { reloads } }) => {
      began = performance.now();
      if (reloads) return;
      // Before minutes of installing: no step of a load changes the worktree.
      const context = contextOf();
      if (context.live.target.callsOnly !== true) await discoverTests(context);
      await beginLoadDrift(context.live);
    }),
    prepare: fromPromise<void, void>(() => {
      const { live } = contextOf();
      live.plugin.tools = [];
      live.plugin.era = "auto";
      return Promise.resolve();
    }),
    askConfig: fromPromise<string[], { caller: string; error: unknown; asked: string[] }>(
      ({ input: { caller, error, asked }, signal }) => {
        const { live, callers } = contextOf();
        return askForConfig(live, { ...callers.get(caller), signal }, error, asked);
      },
    ),
    settle: fromPromise<SettledPlugin, LoadStep & { loaded: LoadedPlugin }>(({ input }) =>
      input.reloads ? settleReload(contextOf(), input, began) : settleLoad(contextOf(), input)
    ),
    readFailure: fromPromise<LoadFailure, LoadStep & { error: unknown }>(({ input }) =>
      Promise.resolve(readFailure(contextOf(), input))
    ),
  };
}

/** After a load; its report is for a reload that had to load anew. */
async function settleLoad(
  context: SessionParts,
  { loaded, reload }: LoadStep & { loaded: LoadedPlugin },
): Promise<SettledPlugin> {
  const { live } = context;
  await endLoadDrift(live);
  if (live.target.callsOnly !== true) await recordTier(live);
  const settled = await settledOf(context, loaded);
  sampleResources(live);
  return reload ? settled : { plugin: settled.plugin };
}

async function settleReload(
  context: SessionParts,
  { loaded }: { loaded: LoadedPlugin },
  began: number,
): Promise<SettledPlugin> {
  const { live } = context;
  live.progress.operations.note("reload", performance.now() - began);
  return await settledOf(context, loaded);
}

async function settledOf(
  context: SessionParts,
  { plan, server, tools, before, closed = [] }: LoadedPlugin,
): Promise<Required<SettledPlugin>> {
  const contract = definedOnly({ contract: await contractOf(context) });
  return {
    plugin: { plan, server, tools, ...dependencyStatus(context), ...contract },
    report: {
      closed,
      tools: compareReloadedTools(before, tools),
      ...buildOf(context, plan),
      ...contract,
    },
  };
}

/** Result of the build, for a plugin that is built at all. */
const buildOf = ({ live }: SessionParts, { build }: PluginPlan): Pick<ReloadReport, "build"> =>
  build?.build === undefined
    ? {}
    : { build: { output: live.plugin.lastBuildOutput, durationMs: live.progress.timings.build_ms ?? 0 } };

function readFailure(context: SessionParts, { error, reloads }: LoadStep & { error: unknown }): LoadFailure {
  const failure = publicError(error);
  // What was refused, or cancelled before the first load, did not begin: the plugin is as it was.
  if (failure.code === "NOT_NOW" || lastLoad(context) === undefined) {
    return { failure: undefined, error: failure };
  }
  if (!reloads) return { failure, error: failure };
  const runs = context.actor.getSnapshot().matches({ open: { plugin: "ready" } });
  if (runs) return { failure, error: stillRuns(failure) };
  const told = failure.code === "INTERRUPTED" ? runsNoMore(failure) : failure;
  return { failure: told, error: told };
}

/** Says what is left of a reload that failed before the old server was asked to stop. */
function stillRuns(error: PthError): PthError {
  const installed = error.code === "INSTALL_FAILED"
    ? " What is installed may be half changed: the next reload installs again."
    : "";
  const message = `${error.message}. The server from before still runs.${installed}`;
  return new PthError(error.code, message, { ...error.context, serverRuns: true }, { cause: error });
}

/** Says what is left of a reload that was cancelled after the old server was asked to stop. */
function runsNoMore(error: PthError): PthError {
  const message = `${error.message}. The server from before had been stopped: none runs now.`;
  const next = [{ mcp: "Load it again: pth_reload_plugin({})" }];
  return new PthError(error.code, message, { ...error.context, next, serverRuns: false }, { cause: error });
}

/** Tools by name; one is changed when anything of its definition says something else. */
export function compareReloadedTools(
  before: readonly ToolDefinition[],
  after: readonly ToolDefinition[],
): ReloadReport["tools"] {
  const old = new Map(before.map((tool) => [tool.name, inOrder(tool)]));
  const names = new Set(after.map(({ name }) => name));
  return {
    added: [...names].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !names.has(name)),
    changed: after.filter((tool) => old.has(tool.name) && old.get(tool.name) !== inOrder(tool))
      .map(({ name }) => name),
    total: after.length,
  };
}

/** JSON with sorted keys: their order says nothing. */
const inOrder = (value: unknown): string =>
  JSON.stringify(
    value,
    (_key, entry: unknown) =>
      isObject(entry) ? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => a < b ? -1 : 1)) : entry,
  );

/** Compares with the kept contract in a session; a scripted run loads nothing for it. */
async function contractOf(context: SessionParts): Promise<ContractCheck | undefined> {
  if (context.live.mode !== "session") return undefined;
  const { compareWithStored } = await import("./contract_commands.ts");
  return await compareWithStored(context, pluginStatus(context));
}
