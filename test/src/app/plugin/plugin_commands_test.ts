import t from "tap";
import { pluginCommands } from "../../../../src/app/plugin/plugin_commands.ts";
import type { SessionParts } from "../../../../src/app/session/session_parts.ts";
import { liveSession } from "../../actors/live.ts";

/** A session actor that takes no request: another one is under way. */
const busy = {
  getSnapshot: () => ({
    can: () => false,
    matches: () => false,
    value: { open: { environment: "ready", plugin: "loading", suite: "idle" } },
    context: { pending: {} },
  }),
} as unknown as SessionParts["actor"];

t.test("a load that is refused changes nothing of the session", async (t) => {
  const { live } = liveSession();
  const { retries } = live.limits;
  const tools = [{ name: "add", inputSchema: { type: "object" } }] as never;
  live.plugin.tools = tools;
  live.plugin.era = "legacy";
  const context = {
    live,
    actor: busy,
    on: () => () => {},
  } as unknown as SessionParts;
  const { load } = pluginCommands(context);
  const given = { coverage: true, configValues: { API_TOKEN: "tulip-mania-1637" }, startTimeoutSeconds: 1 };
  await t.rejects(load(given, { retries: retries + 5 }), {
    code: "NOT_NOW",
    message: "Cannot load plugin: environment ready, plugin loading, suite idle",
  });
  t.equal(live.plugin.tools, tools);
  t.match(live, {
    plugin: { era: "legacy" },
    limits: { retries },
  });
  t.equal(live.secrets.values.size, 0);
});
