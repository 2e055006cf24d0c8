import t from "tap";
import type { EnvironmentConfig } from "../../../../machines/model/environment.ts";
import { environmentCommands } from "../../../../src/app/environment/environment_commands.ts";
import type { SessionParts } from "../../../../src/app/session/session_parts.ts";
import { liveSession } from "../../actors/live.ts";

/** A session actor that answers a request to provision with the configuration it got. */
function echoing(live: SessionParts["live"]): SessionParts["actor"] {
  let tell = (_fact: unknown) => {};
  const actor = {
    getSnapshot: () => ({ can: () => true, matches: () => false }),
    subscribe: () => ({ unsubscribe: () => {} }),
    on: (_type: string, listener: (fact: unknown) => void) => {
      tell = listener;
      return { unsubscribe: () => {} };
    },
    send: ({ requestId, config }: { requestId: string; config: Partial<EnvironmentConfig> }) => {
      seen.push(live.secrets.redact.value(config));
      tell({ type: "request.completed", requestId, result: { config } });
    },
  };
  return actor as never;
}
const seen: unknown[] = [];

t.test("configuration values that are called secrets are taken for secrets before the request is told", async (t) => {
  const { live } = liveSession();
  const context = {
    live,
    actor: echoing(live),
    on: () => () => {},
    callers: new Map(),
  } as unknown as SessionParts;
  const { provision, reprovision } = environmentCommands(context);
  const configValues = { API_TOKEN: "tulip-mania-1637", LOG_LEVEL: "debug" };
  const info = await provision({ targetPlugin: { configValues } });
  const hidden = { targetPlugin: { configValues: { API_TOKEN: "[REDACTED]", LOG_LEVEL: "debug" } } };
  t.match(seen, [hidden]);
  t.match(info.config, hidden);
  t.equal(live.secrets.values.get("API_TOKEN"), "tulip-mania-1637", "the server gets it");
  await reprovision({ targetPlugin: { configValues: { API_TOKEN: "semper-augustus-1633" } } });
  t.match(seen[1], { targetPlugin: { configValues: { API_TOKEN: "[REDACTED]" } } }, "a replacement, too");
});
