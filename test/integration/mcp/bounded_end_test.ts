// test: timeout=200
/** What runs in an environment keeps neither its end nor the session's waiting, and a cancelled suite takes away what its tests made. */
import t, { type Test } from "tap";
import { readiness } from "../../support/readiness.ts";
import { eventually } from "../../contracts/runtime/context.ts";
import { openSessionClient } from "../../support/session_client.ts";
import { smallServer } from "../../support/small_server.ts";

t.setTimeout(180_000);

const plugin = {
  "package.json": JSON.stringify({ name: "slow", version: "1.0.0", main: "server.mjs" }),
  "server.mjs": smallServer({
    name: "slow",
    head: `const wait = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);`,
    tools: `[{ name: "waits", inputSchema: { type: "object" } }]`,
    text: `(wait(120000), "late")`,
  }),
  ".pth/tests/all.yaml": `
- name: waits
  tool: waits
  timeout_seconds: 100
  setup: [{ exec: touch /tmp/made }]
  teardown: [{ exec: rm /tmp/made }]
`,
};

const { call, succeed, begin } = await openSessionClient(t);
const options = { skip: (await readiness()).sandbox };
const shell = (script: string, more: object = {}) =>
  call("pth_exec_in_environment", { command: ["sh", "-c", script], ...more });
const begun = (file: string) =>
  eventually(async () => (await shell(`test -e ${file}`)).data["exitCode"] === 0);
const within = async <Value>(t: Test, ms: number, work: Promise<Value>) => {
  const started = performance.now();
  const value = await work;
  const took = performance.now() - started;
  t.ok(took < ms, `answered within ${ms / 1000} s (${Math.round(took)} ms)`);
  return value;
};

t.test(
  "a command that takes longer than its limit is ended, and its answer says how to give it more",
  options,
  async (t) => {
    await begin(t, plugin, "sandbox");
    const { text, isError } = await within(t, 20_000, shell("sleep 100", { timeoutSeconds: 1 }));
    t.ok(isError);
    t.match(text, /Cannot run command: timed out/);
    t.match(text, /timeoutSeconds/);
  },
);

t.test("a cancelled suite runs the teardown of the test in flight", options, async (t) => {
  const stop = new AbortController();
  const suite = call("pth_run_test_suite", { generatedFrom: "manual" }, { signal: stop.signal }).catch((
    error,
  ) => String(error));
  t.ok(await begun("/tmp/made"), "its setup has run");
  stop.abort();
  await suite;
  t.ok(
    await eventually(async () => (await shell("test -e /tmp/made")).data["exitCode"] === 1),
    "it is torn down",
  );
});

t.test(
  "the environment is destroyed although a command runs in it, whose caller is told",
  options,
  async (t) => {
    const command = shell("touch /tmp/running; sleep 500");
    t.ok(await begun("/tmp/running"));
    const { isError } = await within(t, 25_000, call("pth_destroy_environment"));
    t.notOk(isError);
    const { text, isError: failed } = await within(t, 1000, command);
    t.ok(failed);
    t.match(text, /the environment is being destroyed/);
  },
);

t.test("the session ends although a command runs in its environment", options, async (t) => {
  await succeed(t, "pth_provision_environment", { runtime: "sandbox" });
  const command = shell("touch /tmp/running; sleep 500");
  t.ok(await begun("/tmp/running"));
  const { data } = await within(t, 25_000, succeed(t, "pth_end_session"));
  t.same(data["leftBehind"], []);
  t.ok((await command).isError);
});
