// test: timeout=300
/** Each call that takes long ends when its client withdraws it: another is answered at once, and nothing goes on behind. */
import { mkdir, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { listFolder } from "../../../src/platform/files.ts";
import { eventually } from "../../contracts/runtime/context.ts";
import { readiness } from "../../support/readiness.ts";
import { openSessionClient } from "../../support/session_client.ts";
import { isBusy, load, sleeping, slowPlugin } from "./slow_plugin.ts";

t.setTimeout(280_000);

const fix = { title: "note", edits: [{ path: "notes.txt", content: "two\n" }] };
const slowTest = "name: waits\ntool: waits\ntimeout_seconds: 100\n";

interface Long {
  what: string;
  call: [name: string, input?: Record<string, unknown>];
  /** Makes it slow. */
  slow?: "build" | "start" | "list";
  /** Runs before it. */
  before?: [name: string, input?: Record<string, unknown>];
  /** Works again afterwards, in place of a call of the plugin's tool. */
  then?: [name: string, input?: Record<string, unknown>];
  /** What the plugin's status says by then. */
  leaves?: RegExp;
}

/** On a busy machine it is cancelled earlier, and the server from before still runs. */
const cancelledReload =
  /Plugin: ready.*reloading: it was cancelled|Plugin: absent.*reloading: it was cancelled\. The server from before had been/s;
const loaded: Long["then"] = ["pth_load_plugin", load];
const { folder, call, succeed, begin } = await openSessionClient(t);
const big = join(folder, "big");
const calls: Long[] = [
  { what: "a command", call: ["pth_exec_in_environment", { command: sleeping }] },
  {
    what: "a copy into the environment",
    call: ["pth_copy_to_environment", { hostPath: big, envPath: "/tmp/in" }],
  },
  {
    what: "a copy out of it",
    before: ["pth_exec_in_environment", { command: "mkdir /tmp/out; truncate -s 3G /tmp/out/zeros" }],
    call: ["pth_copy_from_environment", { envPath: "/tmp/out", hostPath: join(folder, "out"), maxMB: 9000 }],
  },
  { what: "a tool of the plugin", call: ["pth_call_plugin_tool", { tool: "waits" }] },
  { what: "a suite", call: ["pth_run_test_suite"] },
  { what: "a test", call: ["pth_run_test", { id: "waits" }] },
  { what: "fuzzing", call: ["pth_fuzz_tools", { tools: ["waits"] }] },
  { what: "measuring performance", call: ["pth_run_performance_suite", { tools: ["waits"] }] },
  { what: "an iteration", call: ["pth_run_iteration"] },
  { what: "the loop", call: ["pth_run_iteration_loop", { fixer: "true" }] },
  { what: "a check of the contract", slow: "list", call: ["pth_check_contract"] },
  { what: "a reload that builds", slow: "build", call: ["pth_reload_plugin"], leaves: cancelledReload },
  {
    what: "a reload that starts",
    slow: "start",
    call: ["pth_reload_plugin"],
    then: loaded,
    leaves: cancelledReload,
  },
  { what: "a fix with a reload", slow: "build", call: ["pth_apply_fix", { ...fix, reload: true }] },
  { what: "a load that builds", slow: "build", call: ["pth_load_plugin", load], then: loaded },
  { what: "a load that starts", slow: "start", call: ["pth_load_plugin", load], then: loaded },
  {
    what: "a search for the fix that broke a test",
    call: ["pth_get_fix_history", { brokeTest: "waits" }],
  },
  {
    what: "a verification in a new environment",
    call: ["pth_check_environment_drift", { reprovision: true }],
    then: ["pth_reprovision_environment", { runtime: "sandbox" }],
  },
  {
    what: "provisioning",
    before: ["pth_destroy_environment"],
    call: ["pth_provision_environment", {
      runtime: "sandbox",
      fixtures: { setupScripts: [sleeping] },
    }],
    then: ["pth_provision_environment", { runtime: "sandbox" }],
  },
];

const shell = (command: string) => call("pth_exec_in_environment", { command });

async function cancel(t: Test, sessionId: string, { what, ...long }: Long): Promise<void> {
  if (long.before) await succeed(t, ...long.before);
  if (long.slow) await shell(`touch /tmp/slow-${long.slow}`);
  const stop = new AbortController();
  const seen: string[] = [];
  const [name, input = {}] = long.call;
  const answer = call(name, input, {
    signal: stop.signal,
    onprogress: ({ message = "" }) => void seen.push(message),
  });
  const over = answer.then(({ text }) => text, () => undefined);
  await new Promise((resolve) => setTimeout(resolve, 400));
  t.equal(
    await Promise.race([over, Promise.resolve("under way")]),
    "under way",
    `${what} takes long: ${seen}`,
  );
  stop.abort();
  const began = performance.now();
  await succeed(t, "pth_get_plugin_status");
  const cheap = performance.now() - began;
  // Fuzzing loads a library first, which takes a second and more on a busy machine.
  t.ok(cheap < 5000, `another call is answered at once (${Math.round(cheap)} ms)`);
  t.ok(await eventually(async () => !await isBusy(sessionId), 2000), "nothing goes on inside");
  if (long.slow) await shell(`rm -f /tmp/slow-${long.slow}`);
  let last = "";
  const status = async () => (await call("pth_get_plugin_status")).text;
  if (long.leaves) {
    const { leaves } = long;
    t.ok(await eventually(async () => leaves.test(last = await status()), 20_000), `it is told: ${last}`);
  }
  const again = long.then ?? ["pth_call_plugin_tool", { tool: "hello" }];
  const works = await eventually(async () => {
    const { text, isError } = await call(...again);
    last = text;
    return !isError;
  }, 20_000);
  t.ok(works, `${again[0]} works afterwards: ${last}`);
  t.comment(`${what}: usable after ${Math.round(performance.now() - began)} ms`);
}

t.test("a start that is withdrawn leaves no session and no copy", async (t) => {
  const pluginPath = join(folder, "many");
  await mkdir(pluginPath);
  const files = Array.from({ length: 3000 }, (_, at) => join(pluginPath, `${at}.txt`));
  for (const file of files) await writeFile(file, "");
  const stop = new AbortController();
  const answer = call("pth_start_session", { pluginPath }, {
    signal: stop.signal,
    onprogress: ({ message = "" }) => /copied/.test(message) && stop.abort(),
  });
  await t.rejects(answer, "it was told of, and withdrawn, while files were copied");
  const copies = async () => await listFolder(join(folder, "worktrees"));
  t.ok(await eventually(async () => (await copies()).length === 0, 5000), "nothing of it stays");
  t.match((await call("pth_exec_in_environment", { command: "true" })).text, /no session is active/);
});

const { sandbox } = await readiness();
t.test("calls that are withdrawn", { skip: sandbox }, async (t) => {
  await mkdir(big);
  await writeFile(join(big, "zeros"), "");
  await truncate(join(big, "zeros"), 3 * 2 ** 30);
  await begin(t, slowPlugin, "sandbox");
  await succeed(t, "pth_load_plugin", load);
  const { data } = await succeed(t, "pth_inspect_environment");
  const sessionId = (data["environment"] as { environmentId: string }).environmentId.split("-")[0]!;
  await succeed(t, "pth_create_test", { yaml: slowTest });
  for (const long of calls) {
    await t.test(long.what, (t) => cancel(t, sessionId, long));
  }
});
