/** Requests about the plugin (PTH design §10, Plugin Management). */
import type { CallOutcome, CloseReport, ToolDefinition } from "../../machines/model/plugin.ts";
import type { PluginInfo } from "../../machines/model/session.ts";
import { messageOf, PthError } from "../errors.ts";
import type { ReloadReport, SessionCommands } from "../harness.ts";
import { ask } from "./ask.ts";
import { type SessionContext, withProgress } from "./session_context.ts";
import { discoverTests } from "./discover_tests.ts";
import { noteLoadFailure } from "./note_load_failure.ts";

type PluginCommands = Pick<
  SessionCommands,
  "load" | "reload" | "pluginStatus" | "pluginTools" | "callTool" | "pluginConfig"
>;

export function pluginCommands(context: SessionContext): PluginCommands {
  const { actor, live } = context;
  const loaded = (): PluginInfo => {
    if (context.plugin) return context.plugin;
    throw new PthError("NOT_NOW", "Cannot use plugin: it is not loaded", {
      next: ["Load it first: pth_load_plugin"],
    });
  };
  return {
    load: (load, options = {}) =>
      withProgress(context, options, async () => {
        if (context.plugin) {
          await ask(actor, { type: "session.unload" });
          context.plugin = undefined;
        }
        live.tools = [];
        live.era = "auto";
        for (const [name, value] of Object.entries(load.configValues ?? {})) live.addSecret(name, value);
        const { configValues: _secret, ...request } = load;
        const loading = ask<PluginInfo>(actor, { type: "session.load", load: request }, {
          signal: options.signal,
          onAbort: () => actor.send({ type: "session.cancel_load" }),
        });
        context.plugin = await noteLoadFailure(live, loading);
        await discoverTests(context);
        live.publish({ type: "plugin.loaded", plugin: context.plugin });
        return context.plugin;
      }),
    reload: (options = {}) =>
      withProgress(context, options, async () => {
        const before = loaded().tools;
        const kept = live.tools;
        live.tools = [];
        live.era = "auto";
        const started = performance.now();
        try {
          const reloading = ask<PluginInfo & { closed: CloseReport[] }>(actor, { type: "session.reload" }, {
            signal: options.signal,
          });
          const { closed, ...plugin } = await noteLoadFailure(live, reloading);
          context.plugin = plugin;
          const build = { output: live.lastBuildOutput, durationMs: performance.now() - started };
          return { closed, tools: compareTools(before, plugin.tools), build };
        } catch (error) {
          if (actor.getSnapshot().matches({ open: { plugin: "ready" } })) live.tools = kept;
          else context.plugin = undefined;
          throw error;
        }
      }),
    pluginStatus() {
      const plugin = actor.getSnapshot().context.plugin?.getSnapshot();
      const members = plugin?.context.pool?.getSnapshot().context.members ?? {};
      const error = plugin?.context.error;
      return {
        state: plugin ? String(plugin.value) : "absent",
        tools: context.plugin?.tools.length ?? 0,
        connections: Object.entries(members).map(([id, { state, pid }]) => ({
          id,
          state,
          ...(pid === undefined ? {} : { pid }),
        })),
        ...(context.plugin ? { plan: context.plugin.plan, server: context.plugin.server } : {}),
        ...(error === undefined ? {} : { lastError: messageOf(error) }),
      };
    },
    pluginTools: () => loaded().tools,
    async callTool(tool, input, options = {}) {
      if (!loaded().tools.some(({ name }) => name === tool)) {
        throw new PthError("NO_SUCH_TOOL", `Cannot call ${tool}: the plugin lists no such tool`, {
          next: [`Choose one of: ${loaded().tools.map(({ name }) => name).join(", ")}`],
        });
      }
      return await withProgress(
        context,
        options,
        () =>
          ask<CallOutcome>(actor, { type: "session.call", tool, input }, {
            signal: options.signal,
            onAbort: (callId) => actor.send({ type: "session.cancel_call", callId }),
          }),
      );
    },
    pluginConfig: () => live.config,
  };
}

function compareTools(before: ToolDefinition[], after: ToolDefinition[]): ReloadReport["tools"] {
  const old = new Map(before.map((tool) => [tool.name, JSON.stringify(tool)]));
  const names = new Set(after.map(({ name }) => name));
  return {
    added: after.filter(({ name }) => !old.has(name)).map(({ name }) => name),
    removed: [...old.keys()].filter((name) => !names.has(name)),
    changed: after.filter((tool) => old.has(tool.name) && old.get(tool.name) !== JSON.stringify(tool))
      .map(({ name }) => name),
    total: after.length,
  };
}
