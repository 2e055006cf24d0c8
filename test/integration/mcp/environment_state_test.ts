// test: timeout=300
/** Drift, verification in a clean environment, health, and rollbacks that fail, as whoever drives a session meets them. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { eventually } from "../../contracts/runtime/context.ts";
import { readiness } from "../../support/readiness.ts";
import { openSessionClient } from "../../support/session_client.ts";
import { smallServer } from "../../support/small_server.ts";

t.setTimeout(280_000);

const plugin = {
  "package.json": JSON.stringify({
    name: "seeded",
    version: "1.0.0",
    main: "server.mjs",
    scripts: { build: "echo level=1 >/etc/app.conf" },
  }),
  "server.mjs": smallServer({
    name: "seeded",
    head: `import { readFileSync } from "node:fs";
const wait = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const texts = {
  seed: () => readFileSync("/opt/seed", "utf8").trim(),
  waits: () => { wait(2500); return "late"; },
  hello: () => "hello",
};
const safely = (name) => { try { return texts[name](); } catch (error) { return String(error); } };`,
    tools: `Object.keys(texts).map((name) => ({ name, inputSchema: { type: "object" } }))`,
    text: `safely(call.name)`,
  }),
  ".pth/tests/all.yaml": `
- { name: reads the seed, tool: seed, expect: { output_equals: seed } }
- { name: says hello, tool: hello, expect: { output_equals: hello } }
- { name: waits, tool: waits, expect: { output_equals: late } }
`,
};

const { home, call, succeed, begin } = await openSessionClient(t);
const notReady = (await readiness()).sandbox;
const options = { skip: notReady };
const shell = (script: string) => call("pth_exec_in_environment", { command: ["sh", "-c", script] });

t.test("what the plugin's build changed is told apart, and is no alarm", options, async (t) => {
  await begin(t, plugin, "sandbox");
  const { text, data } = await succeed(t, "pth_check_environment_drift");
  t.match(
    text,
    /^No drift since provisioning\.\nCame with the plugin's load, as it would again: configuration 1/,
  );
  t.match(data, { drifted: false, changes: [{ name: "/etc/app.conf", byLoad: true, diff: /\+level=1/ }] });
});

t.test(
  "what somebody changed is drift, in groups, with a diff and without password hashes",
  options,
  async (t) => {
    await shell(
      "echo seed >/opt/seed; echo level=2 >/etc/app.conf; useradd drifter; echo drifter:hidden | chpasswd; rm /usr/bin/tac",
    );
    const { text, data } = await succeed(t, "pth_check_environment_drift");
    t.match(text, /^Drifted: /);
    t.match(text, /Users:\n- drifter added/);
    t.match(text, /\n- \/etc\/app\.conf added\n +@@.*\n +\+level=2/);
    t.match(text, /\/etc\/shadow changed: its text is not shown/);
    t.match(text, /Files:\n(- .*\n)*- \/usr\/bin\/tac removed/);
    t.match(text, /\/opt\/seed added/);
    t.notMatch(JSON.stringify(data), /\$(y|6)\$/);
    t.notMatch(JSON.stringify(data), /"byLoad"/, "the build's file changed again afterwards");
  },
);

t.test(
  "one call verifies in a clean environment, and names what passed only in the old one",
  options,
  async (t) => {
    t.match((await succeed(t, "pth_run_test_suite")).text, /3 tests: 3 passed/);
    const { text, data } = await succeed(t, "pth_check_environment_drift", { reprovision: true });
    t.match(
      text,
      /^Drifted: [^]*In a new environment, with the plugin loaded again:\n3 tests: 2 passed, 1 failed/,
    );
    t.match(
      text,
      /Passed only in the old environment[^]*: reads the seed\nNext: make what those tests depend on/,
    );
    t.match(data, { drifted: true, verification: { compared: 3, onlyDirty: [{ name: "reads the seed" }] } });
    const again = await succeed(t, "pth_check_environment_drift", { reprovision: true });
    t.match(
      again.text,
      /^No drift[^]*All 3 tests had the same result as before\.[^]*Next: pth_diagnose_failure/,
    );
  },
);

t.test("a process that runs away and zombies are told before tests are blamed", options, async (t) => {
  await shell("nice -n -5 timeout 200 sh -c 'while :; do :; done' >/dev/null 2>&1 & echo $! >/tmp/runs");
  const forks = "import os, time\nfor _ in range(60):\n  if os.fork() == 0: os._exit(0)\ntime.sleep(200)";
  await shell(`python3 -c '${forks}' >/dev/null 2>&1 & echo $! >>/tmp/runs`);
  let text = "";
  const isTold = async () => {
    text = (await succeed(t, "pth_check_environment_health")).text;
    return /busy/.test(text) && /60 zombie/.test(text);
  };
  await eventually(isTold, 100_000);
  t.match(text, /^Not healthy:\n- Process \d+ \(sh\) keeps a processor busy, \d+ s so far/);
  t.match(text, /- 60 zombie processes/);
  const run = await succeed(t, "pth_run_test_suite", { grep: "seed" });
  t.match(run.text, /\nThe environment is degraded, which may be why 1 test failed: Process \d+/);
  t.equal(run.text.split("is degraded").length, 2, "once");
  await shell("kill $(cat /tmp/runs)");
});

t.test("a rollback is refused while tests run, and harms nothing", options, async (t) => {
  const { data } = await succeed(t, "pth_snapshot_environment", { tag: "early" });
  let told = "";
  const running = call("pth_run_test_suite", { grep: "waits" }, {
    onprogress: ({ message = "" }) => told += `${message}\n`,
  });
  t.ok(await eventually(() => Promise.resolve(/running 1 test/.test(told)), 60_000), told);
  const refused = await call("pth_rollback_environment", { snapshot: data.snapshot });
  t.match(
    refused.text,
    /^Cannot roll back: [^]*suite running \[NOT_NOW\][^]*Wait for the suite that is running/,
  );
  t.match((await running).text, /1 test: 1 passed/);
});

t.test(
  "a rollback that fails is made up for by a clean environment, where that is asked for",
  options,
  async (t) => {
    const { data } = await succeed(t, "pth_snapshot_environment", { tag: "lost" });
    const { environment } = (await succeed(t, "pth_inspect_environment")).data as {
      environment: { environmentId: string };
    };
    await rm(join(home, "boxes", environment.environmentId, "snapshots", String(data.snapshot)), {
      recursive: true,
    });
    const failed = await call("pth_rollback_environment", { snapshot: data.snapshot });
    t.match(failed.text, /\[(NO_SUCH_SNAPSHOT|ROLLBACK_FAILED)\][^]*recover: true/);
    const { text } = await succeed(t, "pth_rollback_environment", { snapshot: data.snapshot, recover: true });
    t.match(text, /A new environment replaces it[^]*The plugin was loaded again\./);
    t.match((await succeed(t, "pth_call_plugin_tool", { tool: "hello" })).text, /hello/);
    t.match((await succeed(t, "pth_inspect_environment")).data, { snapshots: [] });
  },
);

t.test(
  "a plugin that is not loaded cannot be verified, and a snapshot call needs one thing to do",
  options,
  async (t) => {
    t.match((await call("pth_snapshot_environment")).text, /give either tag or drop \[INVALID_INPUT\]/);
    await succeed(t, "pth_reprovision_environment");
    await succeed(t, "pth_destroy_environment");
    t.match(
      (await call("pth_check_environment_drift", { reprovision: true })).text,
      /the plugin is not loaded \[NOT_NOW\]/,
    );
    await succeed(t, "pth_end_session");
  },
);
