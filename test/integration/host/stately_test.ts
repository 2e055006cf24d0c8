// test: timeout=120
/** Stately's inspector beside a session: what comes there, and what must not. */
import t, { type Test } from "tap";
import { createHarness } from "../../../src/app/create_harness.ts";
import { eventually } from "../../contracts/runtime/context.ts";
import { files, leaks, secret } from "../acceptance/leaky_plugin.ts";
import { makeRepository, temporaryWorld } from "../../src/session/helpers.ts";

interface Told {
  type: string;
  name?: string;
  event?: { type: string };
}

/** A receiver, as Stately's page has one. */
function receiver(t: Test) {
  const texts: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.onmessage = ({ data }) => void texts.push(String(data));
    return response;
  });
  t.teardown(() => server.shutdown());
  return { stately: `ws://127.0.0.1:${server.addr.port}`, texts };
}

t.test("all actors and events come there, without the secret that the plugin tells everywhere", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, files);
  const { stately, texts } = receiver(t);
  const harness = await createHarness({ stately });
  t.teardown(() => harness.close());
  await harness.startSession({ target: folder, secrets: { API_KEY: secret } });
  const session = harness.session();
  await session.environment.provision({ runtime: "host" });
  await session.plugin.load({});
  for (const tool of ["tell", "measure", "refuse"]) await session.plugin.call(tool, { text: secret });
  await t.rejects(session.plugin.call("crash", {}), { code: "SERVER_LOST" });
  await harness.close();
  const whole = () => Promise.resolve(texts.some((text) => text.includes("session.end")));
  t.ok(await eventually(whole), "its end came");
  const told: Told[] = texts.map((text) => JSON.parse(text));
  const names = new Set(told.map(({ name }) => name));
  for (const name of ["session", "environment", "plugin"]) t.ok(names.has(name), name);
  const events = new Set(told.map(({ event }) => event?.type));
  for (const type of ["session.provision", "call.completed", "connection.lost", "session.end"]) {
    t.ok(events.has(type), type);
  }
  t.same(leaks(texts.join("\n")).slice(0, 3), []);
});
