// test: timeout=300
/** A secret that the plugin tells everywhere is nowhere in what a whole session leaves, answers, logs and records. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import t, { type Test } from "tap";
import { remove, symlink } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { pth, root } from "../../support/pth.ts";
import { leaks, secret } from "./leaky_plugin.ts";
import { leakyRepository as repository, nothingLeaks, objectsOf, textsBelow } from "./leaks_below.ts";
import type { Place } from "../../support/pth_run.ts";
import { openLoggedClient } from "../../support/logged_client.ts";

t.setTimeout(280_000);
/** Servers for each tool, and what their order shows, are in the last run, with all reporters. */
const oneServer = { workers: 1 };

t.test("what finds the secret finds it in every spelling", (t) => {
  const json = JSON.stringify;
  for (
    const spelled of [
      secret,
      json(json(json(secret))),
      encodeURIComponent(secret),
      Buffer.from(`user:${secret}`).toString("base64"),
      Buffer.from(secret).toString("hex").toUpperCase(),
    ]
  ) t.ok(leaks(`before ${spelled} after`).length > 0, spelled);
  t.same(leaks("nothing [REDACTED] here"), []);
  t.end();
});

t.test("a session over MCP, from start to report, with trace log and recording", async (t) => {
  const { place, plugin } = await repository(t);
  const { folder } = place;
  const log = join(folder, "trace.log");
  const record = join(folder, "record.jsonl");
  const client = await openLoggedClient(t, ["--record", record], {
    ...place.env,
    PTH_DEBUG: "trace",
    PTH_LOG_FILE: log,
  });
  const { call, succeed } = client;
  const configValues = { API_KEY: secret };

  await succeed(t, "pth_preflight", { pluginPath: plugin });
  await succeed(t, "pth_start_session", { pluginPath: plugin });
  await succeed(t, "pth_provision_environment", { runtime: "host" });
  t.match(await call("pth_load_plugin", { configValues, build: "BREAK=1 sh build.sh" }), { isError: true });
  t.match(
    await call("pth_load_plugin", {
      configValues,
      build: "",
      command: ["sh", "-c", "DIE=1 node server.mjs"],
    }),
    {
      isError: true,
    },
  );
  await succeed(t, "pth_diagnose_failure");
  await succeed(t, "pth_load_plugin", { configValues });
  await succeed(t, "pth_get_plugin_config");
  await succeed(t, "pth_get_plugin_status");
  await succeed(t, "pth_list_plugin_tools", { detail: true });
  await succeed(t, "pth_generate_tests");
  for (const tool of ["tell", "measure", "refuse", "garble", "crash"]) {
    await call("pth_call_plugin_tool", { tool, input: {} });
  }
  const said = await succeed(t, "pth_exec_in_environment", {
    command: ["sh", "-c", 'printf %s "${1%kilo}"; sleep 0.05; echo kilo', "sh", secret],
  });
  t.match(said.text, "[REDACTED]");

  const refused = await call("pth_create_test", {
    yaml: JSON.stringify({ name: "by hand", tool: "tell", expect: { output_contains: secret } }),
  });
  t.match(refused, { isError: true, text: /\$\{env:API_KEY\}/ });
  await succeed(t, "pth_create_test", {
    yaml: "name: by hand\ntool: tell\nexpect: { output_contains: '${env:API_KEY}' }",
  });
  await succeed(t, "pth_run_test_suite", { timeoutSeconds: 5, detail: true, ...oneServer });
  await succeed(t, "pth_get_test_results", { detail: true });
  await succeed(t, "pth_diagnose_failure");
  for (const show of [["exchange"], ["stderr"]]) {
    await succeed(t, "pth_get_iteration_status", { show });
    await succeed(t, "pth_get_iteration_status", { show, test: "by hand" });
    await succeed(t, "pth_get_iteration_status", { show, test: "knows the secret by its reference" });
  }
  await succeed(t, "pth_get_iteration_status", { show: ["build", "resources"], detail: true });

  const fix = {
    tests: ["subtracts"],
    category: "wrong-output",
    title: `subtract the right way round (${secret})`,
    body: `It told ${JSON.stringify(secret)} and ${encodeURIComponent(secret)}`,
    edits: [{ path: "numbers.mjs", find: "b - a", replace: "a - b" }],
  };
  const telling = {
    ...fix,
    edits: [{ path: "key.mjs", content: `export const key = ${JSON.stringify(secret)};\n` }],
  };
  t.match(await call("pth_apply_fix", telling), { isError: true, text: /value of a secret/ });
  await succeed(t, "pth_run_iteration", { fixes: [{ ...fix }], ...oneServer });
  await succeed(t, "pth_run_test", { id: "subtracts" });
  await succeed(t, "pth_get_fix_history");
  await succeed(t, "pth_diff_session");
  await succeed(t, "pth_get_iteration_status", { show: ["diff"] });
  await succeed(t, "pth_update_plugin_docs", { write: true });
  await succeed(t, "pth_export_ci");
  await succeed(t, "pth_check_environment_health");
  await succeed(t, "pth_check_environment_drift");
  await succeed(t, "pth_get_environment_logs");
  await succeed(t, "pth_inspect_environment");

  nothingLeaks(t, await textsBelow(place.env.PTH_HOME));
  const ended = await succeed(t, "pth_end_session", { pullRequest: true });
  await client.close();

  const branch = String(ended.data.branch);
  await runExported(t, place, plugin, branch);
  t.match(ended.text, "Text for a pull request");
  t.match(client.received(), "[REDACTED]", "what was taken out is marked");
  nothingLeaks(t, [["answers and notifications", client.received()], ["stderr", client.stderr()]]);
  nothingLeaks(t, [["every object of the repository", objectsOf(plugin)]]);
  nothingLeaks(t, await textsBelow(folder));
  const logged = await textsBelow(folder);
  t.match(logged.get(log), /"level":"trace".*\[REDACTED\]/, "the log is there and holds payloads");
  t.match(logged.get(record), "[REDACTED]");
  const written = execFileSync("git", ["-C", plugin, "ls-tree", "-r", "--name-only", branch], {
    encoding: "utf8",
  });
  for (
    const path of [
      ".pth/SESSION-REPORT.md",
      ".pth/PULL-REQUEST.md",
      ".pth/ci/run-tests.mjs",
      ".github/workflows/pth-tests.yml",
      "README.md",
    ]
  ) t.match(written, path);
});

t.test("a secret that a person was asked for on a page", async (t) => {
  const { place, plugin } = await repository(t);
  const log = join(place.folder, "trace.log");
  const env = { ...place.env, PTH_DEBUG: "trace", PTH_LOG_FILE: log };
  const record = ["--record", join(place.folder, "record.jsonl")];
  const client = await openLoggedClient(t, record, env, { API_KEY: secret });
  await client.succeed(t, "pth_start_session", { pluginPath: plugin });
  await client.succeed(t, "pth_provision_environment", { runtime: "host" });
  await client.succeed(t, "pth_load_plugin");
  const called = await client.succeed(t, "pth_call_plugin_tool", { tool: "tell", input: {} });
  t.match(called.text, "[REDACTED]", "the plugin has it");
  await client.succeed(t, "pth_run_test_suite", { timeoutSeconds: 5, ...oneServer });
  await client.succeed(t, "pth_end_session", { report: true });
  await client.close();
  t.match(client.received(), "elicitation/create");
  nothingLeaks(t, [["answers", client.received()], ["stderr", client.stderr()], ["git", objectsOf(plugin)]]);
  nothingLeaks(t, await textsBelow(place.folder));
});

/** The exported tests as a CI job runs them, on a clone of the branch; what the runner imports is this checkout's. */
async function runExported(t: Test, { folder }: Place, plugin: string, branch: string): Promise<void> {
  const clone = join(folder, "clone");
  execFileSync("git", ["clone", "-q", "--branch", branch, plugin, clone]);
  await symlink(join(root, "node_modules"), join(clone, ".pth/ci/node_modules"));
  const runner = ["node", join(clone, ".pth/ci/run-tests.mjs"), "--junit", join(folder, "ci-junit.xml")];
  const { code, stdout, stderr } = await runCommand(runner, { cwd: clone, env: { API_KEY: secret } });
  t.equal(code, 1, stderr);
  t.match(stdout, "[REDACTED]");
  nothingLeaks(t, [["stdout of the exported runner", stdout], ["its stderr", stderr]]);
  await remove(join(clone, ".pth/ci/node_modules"));
}

t.test("pth iterate with a fixer, and pth run with all reporters, with trace log and recording", async (t) => {
  const { place, plugin } = await repository(t);
  const fixer = "cat >/dev/null; sed -i 's/b - a/a - b/' numbers.mjs; echo 'subtract the right way round'";
  const env = (name: string) => ({
    ...place.env,
    API_KEY: secret,
    PTH_DEBUG: "trace",
    PTH_LOG_FILE: join(place.folder, `${name}.log`),
  });
  const start = [plugin, "--env", "host", "--secret", "API_KEY", "--timeout", "5"];
  const iterated = await pth(
    [
      "iterate",
      ...start,
      "--workers",
      "1",
      "--fixer",
      fixer,
      "--max-iterations",
      "2",
      "--patience",
      "1",
      "--pull-request",
    ],
    { env: env("iterate") },
  );
  t.equal(iterated.code, 1, iterated.stdout + iterated.stderr);
  t.match(iterated.stdout, "Text for a pull request");
  const reporters = ["json", "junit", "tap", "spec"]
    .flatMap((each) => ["--reporter", `${each}:${join(place.folder, `report.${each}`)}`]);
  const output = ["--output", join(place.folder, "out"), "--record", join(place.folder, "run.jsonl")];
  const ran = await pth(["run", ...start, ...reporters, ...output], { env: env("run") });
  t.equal(ran.code, 1, ran.stderr);
  nothingLeaks(t, [
    ["stdout of iterate", iterated.stdout],
    ["stderr of iterate", iterated.stderr],
    ["stdout of run", ran.stdout],
    ["stderr of run", ran.stderr],
    ["every object of the repository", objectsOf(plugin)],
  ]);
  const left = await textsBelow(place.folder);
  for (const file of ["report.junit", "run.jsonl", "run.log", "iterate.log"]) {
    t.match(left.get(join(place.folder, file)), "[REDACTED]", file);
  }
  nothingLeaks(t, left);
});
