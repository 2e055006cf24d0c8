// test: timeout=300
/** Runs what an installed plugin does: PTH in one folder on plain Node, with no packages beside it. */
import { join } from "node:path";
import t from "tap";
import {
  mkdir,
  pathExists,
  readTextFile,
  removeIfExists,
  writeTextFile,
} from "../../../src/platform/files.ts";
import { runCommand, spawnProcess } from "../../../src/platform/process.ts";
import { docPages } from "../../../src/server/resources/doc_pages.ts";
import { selfVersion } from "../../../src/platform/self_version.ts";
import { grammarFiles } from "../../../src/testing/source_analysis/syntax.ts";
import { reportSchema } from "../../../src/testing/report/report_schema.ts";
import { root } from "../../support/pth.ts";
import { openSessionClient } from "../../support/session_client.ts";
import { folderBytes } from "../../support/folder_bytes.ts";
import { dividingServer, makeBundle } from "./make_bundle.ts";

t.setTimeout(290_000);

const bundled = await makeBundle();
const { folder, out, pth } = bundled;
t.teardown(() => removeIfExists(folder));
const plugin = join(folder, "divider");
await mkdir(plugin);
await writeTextFile(join(plugin, "server.mjs"), dividingServer);
const onHost = ["--env", "host", "--command", "node server.mjs"];

t.test("it is small, and holds every file that the code reads", async (t) => {
  const megabytes = await folderBytes(out) / 1e6;
  t.ok(megabytes < 25, `${megabytes.toFixed(1)} MB`);
  for (const file of grammarFiles) t.ok(await pathExists(join(out, "packages", file)), file);
  for (const page of docPages) t.ok(await pathExists(join(out, `docs/${page}.md`)), page);
  const [help, told] = [await pth(["--help"]), await pth(["--version"])];
  t.equal(help.code, 0, help.stderr);
  t.match(help.stdout, "Usage: pth");
  t.equal(told.stdout.trim(), await selfVersion());
  t.equal((await pth(["images", "list"])).code, 0, "images/ is found");
});

t.test("a bundle is not made over something else", async (t) => {
  const made = await runCommand(["node", join(root, "scripts/bundle.mjs"), "--out", plugin]);
  t.equal(made.code, 1);
  t.match(made.stderr, /^Cannot bundle PTH: .*divider holds something else/);
  t.ok(await pathExists(join(plugin, "server.mjs")));
});

t.test("it tests a server and reports as JSON", async (t) => {
  const file = join(folder, "report.json");
  const ran = await pth(["run", plugin, ...onHost, "--coverage", "--reporter", `json:${file}`]);
  t.equal(ran.code, 0, ran.stdout + ran.stderr);
  const report = reportSchema.parse(JSON.parse(await readTextFile(file)));
  t.ok(report.summary.passed > 5, JSON.stringify(report.summary));
  t.match(ran.stdout, /server\.mjs: \d+ of \d+/, "what ran was measured");
});

t.test("an output that takes nothing, and was to say nothing, leaves the exit code", async (t) => {
  const quiet = ["sh", "-c", 'exec "$@" 2>/dev/full', "sh", ...bundled.command("cli", "--version")];
  t.match(await runCommand(quiet), { code: 0 });
});

t.test("a session over MCP generates tests from the source, and runs them", async (t) => {
  const session = await openSessionClient(t, {}, undefined, bundled.command("main"));
  const manifest = JSON.stringify({ mcpServers: { divider: { command: "node", args: ["server.mjs"] } } });
  if (!await session.begin(t, { "server.mjs": dividingServer, ".mcp.json": manifest }, "host")) return;
  const generated = await session.succeed(t, "pth_generate_tests", { from: ["source_analysis"] });
  t.match(generated.text, /^[1-9]\d* tests?\b/);
  const ran = await session.succeed(t, "pth_run_test_suite");
  t.match(ran.text, /[1-9]\d* passed/);
  t.match((await session.succeed(t, "pth_end_session")).text, /ended/i);
});

t.test("it draws charts", async (t) => {
  const drawn = await pth(["viz", "--export", "charts", "--machine", "session"]);
  t.equal(drawn.code, 0, drawn.stderr);
  t.match(await readTextFile(join(folder, "charts/session.svg")), /^<svg /);
});

t.test("it serves the page that was bundled with it", async (t) => {
  const viewer = await spawnProcess(bundled.command("cli", "viz", "--machines", "--no-open"), {
    env: bundled.env,
    ownGroup: true,
  });
  t.teardown(() => viewer.kill("SIGKILL"));
  viewer.stderr.resume();
  const address = await new Promise<string>((resolve) => {
    let text = "";
    viewer.stdout.on("data", (chunk) => {
      text += String(chunk);
      const found = /http:\S+/.exec(text);
      if (found && text.includes("\n")) resolve(found[0]);
    });
  });
  const entry = await fetch(address, { redirect: "manual" });
  await entry.body?.cancel();
  const cookie = entry.headers.get("set-cookie")!.split(";")[0]!;
  const ask = async (path: string) =>
    await (await fetch(new URL(path, address), { headers: { cookie } })).text();
  t.equal(await ask("page.js"), await readTextFile(join(out, "prebuilt/page.js")));
  t.match(await ask("page.css"), ".chart {");
  viewer.kill("SIGTERM");
  await viewer.exited;
});

t.test("the runner that it exports for CI runs the tests without it", async (t) => {
  await writeTextFile(
    join(folder, "tests.yaml"),
    "- { name: divides, tool: divide, input: { a: 6, b: 3 }, expect: { output_equals: '2' } }\n",
  );
  const exported = await pth(["export-ci", plugin, ...onHost, "--tests", "tests.yaml", "--output", plugin]);
  t.equal(exported.code, 0, exported.stdout + exported.stderr);
  const installed = await runCommand(["npm", "install", "--no-audit", "--no-fund", "--prefix", ".pth/ci"], {
    cwd: plugin,
  });
  t.equal(installed.code, 0, installed.stderr);
  const ran = await runCommand(["node", ".pth/ci/run-tests.mjs", "--tap"], { cwd: plugin });
  t.equal(ran.code, 0, ran.stdout + ran.stderr);
  t.match(ran.stdout, /^ok 1 - .*divides/m);
});
