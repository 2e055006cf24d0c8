/** Requests about the plugin. */
import type { CallOutcome, CloseReport, PluginPlan } from "../../../machines/model/plugin.ts";
import type { PluginInfo } from "../../../machines/model/session.ts";
import { recordLoadDrift } from "../../actors/environment/load_drift.ts";
import { asPthError, errorMessage, PthError } from "../../core/errors.ts";
import type {
  LoadOptions,
  PluginCommands,
  PluginStatus,
  ReloadReport,
  RequestOptions,
} from "../../api/harness.ts";
import { defaultStartSeconds } from "../../plugin/start_limit.ts";
import { retryBudget } from "../../platform/retry.ts";
import { definedOnly } from "../../core/values.ts";
import { requireState, sendRequest } from "../send_request.ts";
import { withFreeServer } from "./with_free_server.ts";
import { askingConfig } from "../environment/asking_config.ts";
import { compareReloadedTools } from "./compare_reloaded_tools.ts";
import { compareWithStored } from "./contract_commands.ts";
import { dependencyStatus, startDependencies } from "../environment/dependencies.ts";
import { type SessionContext, withProgress } from "../session/session_context.ts";
import { discoverTests } from "../tests/discover_tests.ts";
import { recordLoadFailure } from "./record_load_failure.ts";
import { recordTier } from "../environment/record_tier.ts";
import { givenSecrets } from "../environment/given_secrets.ts";
import { sampleResources } from "../environment/sample_resources.ts";

type OwnCommands = Pick<PluginCommands, "load" | "reload" | "status" | "tools" | "call" | "config">;

/** Limit of a call where none is given. */
const defaultCallSeconds = 120;

export function pluginCommands(context: SessionContext): OwnCommands {
  const { actor, live } = context;
  const loaded = (): PluginInfo => {
    if (context.plugin) return context.plugin;
    throw new PthError("NOT_NOW", "Cannot use plugin: it is not loaded", {
      next: [{ mcp: "Load it first: pth_load_plugin" }],
    });
  };
  const load: PluginCommands["load"] = (load, options = {}) =>
    withProgress(context, options, async () => {
      if (context.plugin) {
        await sendRequest(actor, { type: "session.unload" });
        context.plugin = undefined;
      } else requirePlace(context, load);
      const { configValues, secrets, secretsFile, coverage = live.coverage.wanted, ...request } = load;
      live.coverage.wanted = coverage;
      const given = { ...configValues, ...await givenSecrets(definedOnly({ secrets, secretsFile })) };
      for (const [name, value] of Object.entries(given)) {
        live.secrets.add(name, value);
        live.questions.answered.delete(name);
      }
      live.limits.retries = retryBudget(options.retries);
      const started = await recordLoadDrift(live, async () => {
        await askingConfig(live, options, () => startDependencies(context, options));
        const onAccept = () => {
          live.plugin.tools = [];
          live.plugin.era = "auto";
          live.limits.startTimeoutMs = (load.startTimeoutSeconds ?? defaultStartSeconds) * 1000;
          context.loadRequest = request;
        };
        const loading = askingConfig(live, options, () =>
          sendRequest<PluginInfo>(actor, { type: "session.load", load: request }, {
            onAccept,
            signal: options.signal,
            onAbort: () =>
              actor.send({ type: "session.cancel_load" }),
          }));
        return await recordLoadFailure(live, loading);
      });
      context.plugin = { ...started, ...dependencyStatus(context) };
      context.lostPlugin = undefined;
      await recordTier(live);
      await discoverTests(context);
      const contract = await compareWithStored(context, pluginStatus());
      if (contract) {
        context.plugin = { ...context.plugin, contract };
      }
      live.progress.publish({ type: "plugin.loaded", plugin: context.plugin });
      sampleResources(live);
      return context.plugin;
    });
  /** What building it came to, for a plugin that is built at all. */
  const built = ({ build }: PluginPlan): Pick<ReloadReport, "build"> =>
    build?.build === undefined
      ? {}
      : { build: { output: live.plugin.lastBuildOutput, durationMs: live.progress.timings.build_ms ?? 0 } };
  /** Loads again what does not run any more, as it was asked for the last time; else reloads what runs. */
  async function reload(options: RequestOptions): Promise<ReloadReport> {
    const { plugin, lostPlugin, loadRequest } = context;
    if (!plugin && loadRequest) {
      const { plan, tools, contract } = await load(loadRequest, options);
      const compared = compareReloadedTools(lostPlugin?.tools ?? [], tools);
      return { closed: [], tools: compared, ...built(plan), ...(contract ? { contract } : {}) };
    }
    const before = loaded().tools;
    await askingConfig(live, options, () => startDependencies(context, options));
    const started = performance.now();
    const reloading = askingConfig(
      live,
      options,
      () =>
        sendRequest<PluginInfo & { closed: CloseReport[] }>(actor, { type: "session.reload" }, {
          signal: options.signal,
          onAbort: () => actor.send({ type: "session.cancel_load" }),
        }),
    );
    try {
      const { closed, ...reloaded } = await recordLoadFailure(live, reloading);
      live.progress.operations.note("reload", performance.now() - started);
      context.plugin = { ...reloaded, ...dependencyStatus(context) };
      const contract = await compareWithStored(context, pluginStatus());
      const tools = compareReloadedTools(before, reloaded.tools);
      return { closed, tools, ...built(reloaded.plan), ...(contract ? { contract } : {}) };
    } catch (thrown) {
      const error = asPthError(thrown);
      if (error.code === "NOT_NOW") throw error;
      if (actor.getSnapshot().matches({ open: { plugin: "ready" } })) throw stillRuns(error);
      context.lostPlugin = plugin;
      context.plugin = undefined;
      throw error;
    }
  }

  function pluginStatus(): PluginStatus {
    const plugin = actor.getSnapshot().context.plugin?.getSnapshot();
    const members = plugin?.context.pool?.getSnapshot().context.members ?? {};
    const error = plugin?.context.error;
    return {
      state: plugin ? String(plugin.value) : "absent",
      tools: context.plugin?.tools.length ?? 0,
      ...dependencyStatus(context),
      connections: Object.entries(members).map(([id, { state, pid }]) => ({
        id,
        state,
        ...(pid === undefined ? {} : { pid }),
      })),
      ...(context.plugin ? { plan: context.plugin.plan, server: context.plugin.server } : {}),
      ...(error === undefined ? {} : { lastError: errorMessage(error) }),
    };
  }

  return {
    load,
    reload: (options = {}) => withProgress(context, options, () => reload(options)),
    status: pluginStatus,
    tools: () => loaded().tools,
    async call(tool, input, { timeoutSeconds = defaultCallSeconds, ...options } = {}) {
      if (!loaded().tools.some(({ name }) => name === tool)) {
        throw new PthError("NO_SUCH_TOOL", `Cannot call ${tool}: the plugin lists no such tool`, {
          next: [`Choose one of: ${loaded().tools.map(({ name }) => name).join(", ")}`],
        });
      }
      const requestId = crypto.randomUUID();
      const call = () =>
        sendRequest<CallOutcome>(
          actor,
          { type: "session.call", tool, input, limitMs: timeoutSeconds * 1000 },
          {
            signal: options.signal,
            requestId,
            onAbort: (callId) => actor.send({ type: "session.cancel_call", callId }),
          },
        );
      return await withProgress(
        context,
        options,
        () => withFreeServer(actor, requestId, tool, call),
      );
    },
    config: () => live.plugin.config,
  };
}

/** Before anything of the request is taken over. @throws {PthError} `NOT_NOW` */
function requirePlace({ actor }: SessionContext, load: LoadOptions): void {
  const ready = actor.getSnapshot().matches({ open: { environment: "ready", plugin: "absent" } });
  // Dependencies may have to be started first.
  if (!ready) requireState(actor, { type: "session.load", load });
}

/** Says what is left of a reload that failed before the old server was asked to stop. */
function stillRuns(error: PthError): PthError {
  const installed = error.code === "INSTALL_FAILED"
    ? " What is installed may be half changed: the next reload installs again."
    : "";
  const message = `${error.message}. The server from before still runs.${installed}`;
  return new PthError(error.code, message, { ...error.context, serverRuns: true }, { cause: error });
}
