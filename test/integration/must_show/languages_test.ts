// test: timeout=400
/**
 * Servers of other kinds pass like any: Python, streamable HTTP, revision 2026-07-28. Each once in every environment
 * that is ready; needs Docker with the base image, and npm's registry.
 */
import { join } from "node:path";
import t from "tap";
import { run } from "../../../src/platform/process.ts";
import { readiness } from "./readiness.ts";
import { failures, fixture, makePlace, runPth, story } from "./pth_run.ts";

t.setTimeout(400_000);

const servers = [
  { name: "python_server", args: [], tools: ["convert_length", "convert_temperature", "list_units"] },
  { name: "http_server", args: ["--url", "http://127.0.0.1:{port}/mcp"], tools: ["echo", "sum", "visits"] },
  { name: "era_2026_server", args: [], tools: ["area", "count_to", "echo"] },
];
const place = await makePlace(t);
const skips = await readiness();

for (const { name, args, tools } of servers) {
  const folder = join(place.folder, name);
  await run(["cp", "-r", fixture(name), folder]);
  for (const env of ["host", "sandbox", "docker"] as const) {
    t.test(`${name} passes in ${env}`, { skip: skips[env] }, async (t) => {
      const ran = await runPth(place, [folder, "--env", env, ...args]);
      t.same(failures(ran.report), [], "no failure", { story: story(ran) });
      t.equal(ran.code, 0, "exit code", { story: story(ran) });
      t.equal(ran.report.environment?.runtime, env);
      const passed = ran.report.tests.filter(({ status }) => status === "passed");
      t.same([...new Set(passed.flatMap(({ tool }) => tool ?? []))].sort(), tools, "each tool passed tests");
    });
  }
}
