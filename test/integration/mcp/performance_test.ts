// test: timeout=300
/** Each dear tool of a server is named in its dimension, the plain ones are not, in a sandbox and in a container. */
import { readFile } from "node:fs/promises";
import t, { type Test } from "tap";
import type { PerformanceReport } from "../../../machines/model/performance.ts";
import { openSessionClient } from "../../support/session_client.ts";

t.setTimeout(280_000);

const fixture = new URL("../../fixtures/perf_server/", import.meta.url);
const names = ["package.json", ".mcp.json", "server.mjs"];
const files = Object.fromEntries(
  await Promise.all(
    names.map(async (name) => [name, await readFile(new URL(name, fixture), "utf8")] as const),
  ),
);

const { begin, call, succeed } = await openSessionClient(t);

function checkOutliers(t: Test, { outliers, tools }: PerformanceReport): void {
  const found = outliers.map(({ tool, dimension }) => `${tool}: ${dimension}`);
  for (
    const expected of [
      "slow: response time",
      "large_answer: answer size",
      "memory_keeper: memory",
      "processor_user: cpu",
      "many_files: files written",
      "rewriter: files rewritten unchanged",
    ]
  ) t.ok(found.includes(expected), expected);
  t.same(outliers.filter(({ tool }) => tool.startsWith("plain_")), [], "plain tools");
  t.match(outliers.find(({ tool }) => tool === "rewriter")?.message, /data\/state\.json/);
  const slow = tools.find(({ tool }) => tool === "slow")!;
  t.ok(slow.responseMs.p50 >= 149, `${slow.responseMs.p50}`);
  const oneByOne = 1000 / slow.responseMs.p50;
  t.ok(slow.throughput!.callsPerSecond > oneByOne, "waiting calls do not wait for each other");
}

for (const runtime of ["sandbox", "docker"]) {
  t.test(runtime, async (t) => {
    if (!await begin(t, files, runtime)) return;
    t.match((await call("pth_get_performance_report")).text, /no measurements yet/);
    t.match((await call("pth_run_performance_suite", { tools: ["plain_ome"] })).text, /\[NO_SUCH_TOOL\]/);

    const { data, text } = await succeed(t, "pth_run_performance_suite", { calls: 6 });
    const report = data as unknown as PerformanceReport;
    checkOutliers(t, report);
    t.same(report.unmeasured.map(({ tool }) => tool).sort(), ["delete_all", "refuser"]);
    t.match(report.unmeasured.find(({ tool }) => tool === "refuser"), {
      reason: /this input is never right/,
    });
    t.match(text, runtime === "docker" ? /cgroup v[12] of the environment/ : /\/proc of|cgroup/);
    t.match(text, /Outliers:\n- slow: response time/);

    const again = await succeed(t, "pth_get_performance_report", { detail: true });
    t.equal((again.data as unknown as PerformanceReport).startedAt, report.startedAt);

    const one = await succeed(t, "pth_run_performance_suite", { tools: ["plain_one"], calls: 2 });
    t.match(one.text, /fewer than two tools were measured/);
    t.match(one.data.outliers, []);
    await succeed(t, "pth_end_session");
  });
}

t.test("a cancelled measuring leaves a session that goes on", async (t) => {
  if (!await begin(t, files, "sandbox")) return;
  const stop = new AbortController();
  const measuring = call("pth_run_performance_suite", { tools: ["slow"], calls: 60 }, {
    signal: stop.signal,
  });
  setTimeout(() => stop.abort(), 1500);
  await t.rejects(measuring);
  const { text } = await succeed(t, "pth_call_plugin_tool", { tool: "plain_one" });
  t.match(text, /plain 1/);
  t.match(
    (await succeed(t, "pth_run_performance_suite", { tools: ["plain_one", "plain_two"], calls: 2 })).text,
    /2 tools measured/,
  );
  await succeed(t, "pth_end_session");
});
