// test: timeout=400
/** Runs what an installed plugin does: PTH in one folder on plain Node, with no packages beside it. */
import { chown } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import {
  chmod,
  mkdir,
  pathExists,
  readDir,
  readTextFile,
  removeIfExists,
  writeTextFile,
} from "../../../src/platform/files.ts";
import { uid } from "../../../src/platform/host.ts";
import { runCommand, spawnProcess } from "../../../src/platform/process.ts";
import { docPages } from "../../../src/server/resources/doc_pages.ts";
import { selfVersion } from "../../../src/platform/self_version.ts";
import { machineIds } from "../../../src/visualizer/chart/machine_chart.ts";
import { packageFiles } from "../../../scripts/prebuild.ts";
import { reportSchema } from "../../../src/testing/report/report_schema.ts";
import { root } from "../../support/pth.ts";
import { openSessionClient } from "../../support/session_client.ts";
import { folderBytes } from "../../support/folder_bytes.ts";
import { dividingServer, makeBundle } from "./make_bundle.ts";

t.setTimeout(390_000);

const bundled = await makeBundle();
const { folder, out, pth } = bundled;
t.teardown(() => removeIfExists(folder));
const rare = join(out, "rare");
const draw = (into: string, env: Record<string, string> = {}) =>
  pth(["viz", "--export", into, "--format", "png", "--machine", "step"], { env });
const plugin = join(folder, "divider");
await mkdir(plugin);
await writeTextFile(join(plugin, "server.mjs"), dividingServer);
const onHost = ["--env", "host", "--command", "node server.mjs"];

t.test("it is small, and holds every file that the code reads", async (t) => {
  const megabytes = await folderBytes(out) / 1e6;
  t.ok(megabytes < 25, `${megabytes.toFixed(1)} MB`);
  for (const file of packageFiles) t.ok(await pathExists(join(out, "packages", file)), file);
  for (const page of docPages) t.ok(await pathExists(join(out, `docs/${page}.md`)), page);
  const [help, told] = [await pth(["--help"]), await pth(["--version"])];
  t.equal(help.code, 0, help.stderr);
  t.match(help.stdout, "Usage: pth");
  t.equal(told.stdout.trim(), await selfVersion());
  t.equal((await pth(["images", "list"])).code, 0, "images/ is found");
});

t.test("a package that is left out: without a registry the error says so, and nothing is left", async (t) => {
  const cut = { npm_config_registry: "http://127.0.0.1:1", npm_config_cache: join(folder, "cache") };
  const drawn = await draw("none", cut);
  t.equal(drawn.code, 3, drawn.stderr);
  t.match(drawn.stderr, /Cannot install @resvg\/resvg-js: npm ended with 1/);
  t.match(drawn.stderr, /ECONNREFUSED[^]*npm ping/);
  t.same(await names(rare), []);
});

const someoneElse = { skip: uid() !== 0 && "only root can be somebody else" };
t.test("where the bundle belongs to someone else, it goes into the user's folder", someoneElse, async (t) => {
  const theirs = join(folder, "theirs");
  await mkdir(theirs);
  await chown(theirs, 65534, 65534);
  await chmod(folder, 0o755);
  const as = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
  const drawing = bundled.command("cli", "viz", "--export", "charts", "--format", "png", "--machine", "step");
  const drawn = await runCommand([...as, ...drawing], {
    cwd: theirs,
    env: { HOME: theirs, PTH_HOME: join(theirs, ".pth"), npm_config_cache: join(theirs, "cache") },
  });
  t.equal(drawn.code, 0, drawn.stderr);
  t.ok(await pathExists(join(theirs, "charts/step.png")));
  t.match(await names(join(theirs, ".pth/rare")), [/^@resvg\+resvg-js@\d/]);
  t.same(await names(rare), []);
});

t.test("its next use mends it; of two at once both draw, and one installation is kept", async (t) => {
  // npm is found beside Node where PATH names neither; another disk's folder for temporary files is of no use.
  const nowhere = join(folder, "nowhere");
  const both = await Promise.all([draw("one"), draw("other", { PATH: nowhere, TMPDIR: nowhere })]);
  for (const { code, stderr } of both) t.equal(code, 0, stderr);
  t.match(both[0].stderr, /Installing @resvg\/resvg-js, which draws pictures/);
  t.ok(await pathExists(join(folder, "one/step.png")));
  t.ok(await pathExists(join(folder, "other/step.png")));
  t.same(await names(rare), ["@resvg+resvg-js"]);

  const again = await draw("again");
  t.equal(again.code, 0, again.stderr);
  t.notMatch(again.stderr, "Installing");
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

t.test("it draws charts from the layouts that are stored for them", async (t) => {
  const drawn = await pth(["viz", "--export", "charts"]);
  t.equal(drawn.code, 0, drawn.stderr);
  for (const machine of machineIds) {
    const drawing = await readTextFile(join(folder, `charts/${machine}.svg`));
    t.ok(drawing === await readTextFile(join(root, `docs/machines/${machine}.svg`)), machine);
  }
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

async function names(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of readDir(folder)) found.push(name);
  return found;
}
