/** Requests that let a client speak to the plugin's server itself, and that turn calls into a suite. */
import type { RelayEnds } from "../../api/requests.ts";
import { PthError } from "../../core/errors.ts";
import type { PluginCommands, TestCommands } from "../../api/harness.ts";
import type { RecordedCall } from "../../traffic/scenario.ts";
import { sendOperation } from "../send_request.ts";
import type { SessionParts } from "../session/session_parts.ts";
import { count } from "../../core/text.ts";

/** Calls that a recording keeps at most: a scenario of more steps is nobody's. */
const mostCalls = 200;

export function relayCommands(
  context: SessionParts,
  { plugin, tests }: {
    plugin: Pick<PluginCommands, "call">;
    tests: Pick<TestCommands, "create" | "delete" | "run">;
  },
): { plugin: Pick<PluginCommands, "relay" | "call">; tests: Pick<TestCommands, "recordCalls"> } {
  const { actor, live } = context;
  let recorded: { name: string; calls: RecordedCall[]; leftOut: number } | undefined;
  return {
    plugin: {
      async relay(ends: RelayEnds, { signal } = {}) {
        const relayId = crypto.randomUUID();
        live.connections.relayEnds.set(relayId, ends);
        try {
          return await sendOperation(actor, "relay", { relayId }, { signal });
        } finally {
          live.connections.relayEnds.delete(relayId);
        }
      },
      async call(tool, input, options) {
        const outcome = await plugin.call(tool, input, options);
        if (recorded && recorded.calls.length < mostCalls) recorded.calls.push({ tool, input, outcome });
        else if (recorded) recorded.leftOut++;
        return outcome;
      },
    },
    tests: {
      recordCalls: {
        start(name) {
          if (recorded) throw new PthError("NOT_NOW", `Cannot record: "${recorded.name}" is being recorded`);
          recorded = { name, calls: [], leftOut: 0 };
        },
        async stop(options = {}) {
          if (!recorded) {
            throw new PthError("NOT_NOW", "Cannot stop recording: no calls are being recorded", {
              next: [{ mcp: 'Begin with: pth_record_calls({ action: "start", name })' }],
            });
          }
          const { name, calls, leftOut } = recorded;
          if (calls.length === 0) {
            throw new PthError("NOT_NOW", "Cannot keep the recording: no tool was called", {
              next: [{ mcp: "Call tools with pth_call_plugin_tool; the recording goes on" }],
            });
          }
          const [{ scenarioOf }, { serializeTests }] = await Promise.all([
            import("../../traffic/scenario.ts"),
            import("../../testing/format/serialize_tests.ts"),
          ]);
          const test = scenarioOf(
            name,
            live.secrets.redact.value(calls),
            `recorded: ${count(calls.length, "call")}`,
          );
          const created = await tests.create(serializeTests([test]));
          const result = await tests.run(created.id, {}, options).catch(async (error: unknown) => {
            // It could not be tried: the recording goes on, and can be stopped again.
            await tests.delete(created.id);
            throw error;
          });
          recorded = undefined;
          const told = { test: created, result, calls: calls.length, leftOut };
          if (result.status !== "failed") return { ...told, kept: true };
          const { yaml } = await tests.delete(created.id);
          return { ...told, kept: false, yaml };
        },
      },
    },
  };
}
