// test: timeout=300
/**
 * A secret that the plugin tells everywhere is in none of the files that scenarios, agents, the fuzzer, contracts, coverage,
 * recordings, measurements, the history and the reporters make.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import t from "tap";
import { pth } from "../../support/pth.ts";
import { leakyRepository, nothingLeaks, objectsOf, textsBelow } from "./leaks_below.ts";
import { secret } from "./leaky_plugin.ts";
import { openLoggedClient } from "../../support/logged_client.ts";

t.setTimeout(280_000);

const scenario = `
name: passes on what it was told
steps:
  - tool: tell
    input: { text: "\${env:API_KEY}" }
    capture: { told: $.text }
  - tool: tell
    input: { text: $told }
    expect: { output_contains: never said }
`;
const prompt = `
name: an agent is told
tier: 3
prompt: Find the key.
checklist: [the key was told]
verify: [{ exec: 'echo "$API_KEY"; false' }]
`;

t.test("a session that uses all of the engine", async (t) => {
  const { place, plugin } = await leakyRepository(t);
  const record = join(place.folder, "record.jsonl");
  const client = await openLoggedClient(t, ["--record", record], {
    ...place.env,
    PTH_HISTORY_DIR: join(place.folder, "history"),
    PTH_DEBUG: "trace",
    PTH_LOG_FILE: join(place.folder, "trace.log"),
  });
  const { call, succeed } = client;
  await succeed(t, "pth_start_session", { pluginPath: plugin });
  await succeed(t, "pth_provision_environment", { runtime: "host" });
  await succeed(t, "pth_load_plugin", { configValues: { API_KEY: secret } });

  await succeed(t, "pth_create_test", { yaml: scenario });
  const agent = await succeed(t, "pth_create_test", { yaml: prompt });
  await succeed(t, "pth_run_test_suite", {
    grep: "passes on|subtracts|knows",
    retries: 1,
    coverage: true,
    timeoutSeconds: 5,
    detail: true,
  });
  const results = await succeed(t, "pth_get_test_results", { detail: true });
  t.match(results.text, /passes-on-what-it-was-told/);
  t.match(JSON.stringify(results.data), /\[REDACTED\]/);
  await succeed(t, "pth_get_coverage_report");
  await succeed(t, "pth_get_test_impact", { files: ["server.mjs"] });

  const { data: run } = await succeed(t, "pth_run_test", { id: (agent.data.test as { id: string }).id });
  await succeed(t, "pth_call_plugin_tool", { runId: run.runId, tool: "tell", input: { text: secret } });
  await succeed(t, "pth_complete_test_run", {
    runId: run.runId,
    checklist: [{ item: "the key was told", met: true, evidence: `it said ${secret}` }],
  });

  // The first cannot pass again, and is answered instead of kept.
  for (const [name, ...tools] of [["answered", "tell", "measure"], ["recorded", "tell", "refuse"]] as const) {
    await succeed(t, "pth_record_calls", { action: "start", name });
    for (const tool of tools) await call("pth_call_plugin_tool", { tool, input: { text: secret } });
    const { text } = await call("pth_record_calls", { action: "stop" });
    t.equal(/^Not saved/.test(text), name === "answered", text);
  }
  await succeed(t, "pth_fuzz_tools", { tools: ["measure", "refuse", "crash"], runs: 3, seed: 1 });
  await succeed(t, "pth_lint_plugin");
  await succeed(t, "pth_check_contract", { save: true });
  await succeed(t, "pth_check_contract");
  await succeed(t, "pth_generate_tests", { from: ["schema", "source_analysis", "documentation", "config"] });
  await succeed(t, "pth_run_performance_suite", { tools: ["tell"], calls: 3 });
  await succeed(t, "pth_get_performance_report");
  nothingLeaks(t, await textsBelow(place.env.PTH_HOME));
  const { data: { branch } } = await succeed(t, "pth_end_session");
  await client.close();

  nothingLeaks(t, [["answers", client.received()], ["stderr", client.stderr()], ["git", objectsOf(plugin)]]);
  const written = execFileSync("git", ["-C", plugin, "ls-tree", "-r", "--name-only", String(branch)], {
    encoding: "utf8",
  });
  for (const path of [".pth/contract.json", ".pth/tests/fuzz/", ".pth/tests/recorded"]) {
    t.match(written, path);
  }
  nothingLeaks(t, await textsBelow(place.folder));
});

t.test("runs with every reporter and phase, the fuzzer, a contract and a recording", async (t) => {
  const { place, plugin } = await leakyRepository(t);
  const { folder } = place;
  const env = { ...place.env, API_KEY: secret, PTH_HISTORY_DIR: join(folder, "history") };
  const target = [plugin, "--env", "host", "--secret", "API_KEY"];
  const file = (name: string) => join(folder, name);
  const reporters = ["html", "github", "markdown", "json"].flatMap((name) => [
    "--reporter",
    `${name}:${file(`report.${name}`)}`,
  ]);
  const summary = { GITHUB_STEP_SUMMARY: file("summary.md") };
  const phases = ["--coverage", "--lint", "--performance", "--retries", "1", "--timeout", "5"];
  const some = ["--grep", "^(knows|subtracts|sets up)", "--output", file("out")];
  const ended = [
    await pth(["run", ...target, ...phases, ...some, ...reporters], { env: { ...env, ...summary } }),
    await pth([
      "fuzz",
      ...target,
      "--tool",
      "measure",
      "--runs",
      "3",
      "--seed",
      "1",
      "--output",
      file("fuzz"),
    ], {
      env,
    }),
    await pth(["contract", "snapshot", ...target, "--output", file("contract.json")], { env }),
  ];
  t.same(ended.map(({ code }) => code), [1, 1, 0], ended.map(({ stderr }) => stderr).join("\n"));
  for (const { stdout, stderr } of ended) nothingLeaks(t, [["stdout", stdout], ["stderr", stderr]]);
  const left = await textsBelow(folder);
  for (const name of ["report.html", "report.github", "report.json", "contract.json"]) {
    t.match(left.get(file(name)), "[REDACTED]", name);
  }
  t.ok([...left.keys()].some((path) => path.startsWith(file("fuzz"))), "a find was written");
  t.ok([...left.keys()].some((path) => path.startsWith(file("history"))), "the history was written");
  nothingLeaks(t, left);
});
