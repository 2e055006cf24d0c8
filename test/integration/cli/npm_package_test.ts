// test: timeout=600
/** The npm tarball, installed in an empty folder, on plain Node. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import {
  copyFile,
  pathExists,
  readDir,
  readTextFile,
  stat,
  symlink,
  writeTextFile,
} from "../../../src/platform/files.ts";
import { readEnv } from "../../../src/platform/host.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { folderBytes } from "../../support/folder_bytes.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

t.test("npx pth works from the tarball in an empty folder", async (t) => {
  const folder = t.testdir({ app: { "package.json": '{ "private": true }' } });
  const app = join(folder, "app");
  const out = join(folder, "package");
  const built = await runCommand(["npm", "run", "--silent", "build", "--", "--out", out], { cwd: root });
  t.equal(built.code, 0, built.stderr);
  const packing = ["npm", "pack", "--silent", "--pack-destination", folder, out];
  const packed = await runCommand(packing, { cwd: folder });
  t.equal(packed.code, 0, packed.stderr);
  const tarball = join(folder, packed.stdout.trim().split("\n").at(-1)!);
  const installed = await runCommand(["npm", "install", "--no-fund", "--no-audit", tarball], { cwd: app });
  t.equal(installed.code, 0, installed.stderr);
  const packages = join(app, "node_modules");
  t.same(
    await installedIn(packages),
    ["plugin-test-harness", "xstate", "zod"],
    "what its types name, and no more",
  );
  const megabytes = await folderBytes(packages) / 1e6;
  t.comment(
    `installed: ${megabytes.toFixed(1)} MB; tarball: ${((await stat(tarball)).size / 1e6).toFixed(1)} MB`,
  );
  t.ok(megabytes < 40, `${megabytes.toFixed(1)} MB`);

  const help = await runCommand(["npx", "--no-install", "pth", "--help"], { cwd: app });
  t.equal(help.code, 0, help.stderr);
  t.match(help.stdout, /Usage: pth/);

  const wrong = await runCommand(["npx", "--no-install", "pth", "run", "./missing"], { cwd: app });
  t.equal(wrong.code, 2, wrong.stderr);
  t.match(wrong.stderr, /missing/);

  const listed = await runCommand(["tar", "-tzf", tarball]);
  t.notMatch(listed.stdout, /package\/(test|scripts|node_modules)\//, "tests and scripts stay at home");
  const sources = listed.stdout.split("\n").filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts"));
  t.same(sources, [], "sources stay at home");
  t.match(listed.stdout, "package/images/", "base images can be built from it");
  t.match(listed.stdout, "package/src/visualizer/chart/layouts.json", "no chart is laid out anew");
  const licenses = await readTextFile(join(packages, "plugin-test-harness/THIRD_PARTY_LICENSES.txt"));
  for (const name of ["ajv", "commander", "elkjs", "web-tree-sitter", "xstate"]) {
    t.match(licenses, new RegExp(`^(.*, )?${name} \\d`, "m"), `the license of ${name} is handed on`);
  }

  const server = join(app, "server.mjs");
  await writeTextFile(server, echoServer);
  const tested = await runCommand(
    [
      "npx",
      "--no-install",
      "pth",
      "run",
      "--env",
      "host",
      "--command",
      `node ${server}`,
      "--reporter",
      "tap",
    ],
    { cwd: app },
  );
  t.equal(tested.code, 0, tested.stdout + tested.stderr);
  t.match(tested.stdout, /^ok 1 /m);

  const drawing = ["viz", "--export", "charts", "--format", "png", "--machine", "session"];
  const drawn = await runCommand(["npx", "--no-install", "pth", ...drawing], { cwd: app });
  t.equal(drawn.code, 0, drawn.stderr);
  t.match(drawn.stderr, "Installing @resvg/resvg-js", "what few need is fetched when it is needed");
  t.ok(await pathExists(join(app, "charts/session.png")));

  const exporting = ["export-ci", "--env", "host", "--command", `node ${server}`, "--output", app];
  const exported = await runCommand(["npx", "--no-install", "pth", ...exporting], { cwd: app });
  t.equal(exported.code, 0, exported.stdout + exported.stderr);
  const { dependencies } = JSON.parse(await readTextFile(join(app, ".pth/ci/package.json")));
  t.match(dependencies, { "@modelcontextprotocol/client": /^\^2\./, "yaml": /^\^2\./ });

  const program = join(app, "program.mts");
  await writeTextFile(program, fromCode(server));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const strict = ["--strict", "--module", "nodenext", "--target", "es2022", "--types", "node"];
  const typeRoots = ["--typeRoots", join(root, "node_modules/@types")];
  const compiled = await runCommand(["node", tsc, ...strict, ...typeRoots, program], { cwd: app });
  t.equal(compiled.code, 0, `the package's types hold for a strict program: ${compiled.stdout}`);
  const ran = await runCommand(["node", join(app, "program.mjs")], { cwd: app });
  t.same(ran.stdout.trim().split("\n"), ["pth-report/1 0 true", "2 TARGET_NOT_FOUND", "closed"], ran.stderr);

  const project = readEnv("PTH_PI_PROJECT");
  if (project === undefined) {
    t.comment("PTH_PI_PROJECT names no project with pi and vitest: no session was tried");
  } else {
    const example = await testOfPage();
    const extensions = join(root, "test/fixtures/pi_extensions");
    for (const name of ["garden.ts", "guard.ts"]) await copyFile(join(extensions, name), join(app, name));
    await writeTextFile(join(app, "garden.test.ts"), example);
    await writeTextFile(
      join(app, "left.test.ts"),
      example.replace("mockUI: {", "mockUI: { select: 0,").replace(
        '{ text: "Sage is planted." }',
        '{ text: "Sage is planted." }, { text: "One more." }',
      ),
    );
    for (const name of ["vitest", "@mariozechner"]) {
      await symlink(join(project, "node_modules", name), join(packages, name));
    }
    const vitest = join(project, "node_modules/vitest/vitest.mjs");
    const tried = await runCommand(["node", vitest, "run", "--testTimeout", "60000"], {
      cwd: app,
      env: { NO_COLOR: "1" },
    });
    t.equal(tried.code, 1, tried.stderr);
    t.match(tried.stdout, /✓ garden\.test\.ts/, "a test session of pi passes in vitest");
    t.match(tried.stdout, /turn 3 not played/, "what is left of a playbook fails the test");
    t.match(tried.stdout, /Tests {2}1 failed \| 1 passed/, tried.stdout);
  }

  let page: Promise<{ script: string; style: string }> | undefined;
  const viewer = await runCommand([
    "npx",
    "--no-install",
    "pth",
    "viz",
    "--machines",
    "--spawned",
    "--idle",
    "4",
  ], {
    cwd: app,
    onOutput: (text, stream) => {
      if (stream === "stdout") page ??= visit(JSON.parse(text).address);
    },
  });
  t.equal(viewer.code, 0, viewer.stderr);
  const { script, style } = await page!;
  t.match(script, "chart-frame", "the page is in the package");
  t.match(style, ".chart {");
});

/** The test that the page shows. */
async function testOfPage(): Promise<string> {
  const page = await readTextFile(join(root, "docs/test-sessions.md"));
  const text = /```ts\n(\/\/ garden\.test\.ts[^]*?)```/.exec(page)?.[1];
  if (text === undefined) throw new Error("docs/test-sessions.md has no garden.test.ts");
  return text;
}

async function installedIn(packages: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of readDir(packages)) if (!name.startsWith(".")) names.push(name);
  return names.sort();
}

async function visit(address: string): Promise<{ script: string; style: string }> {
  const entry = await fetch(address, { redirect: "manual" });
  await entry.body?.cancel();
  const cookie = entry.headers.get("set-cookie")!.split(";")[0]!;
  const text = async (path: string) =>
    await (await fetch(new URL(path, address), { headers: { cookie } })).text();
  return { script: await text("page.js"), style: await text("page.css") };
}

/** A program that tests a server, then what is not there, then looks behind the package's entries. */
const fromCode = (server: string): string => `
import { type Report, testPlugin } from "plugin-test-harness";
import { reportSchema } from "plugin-test-harness/report";
const environment = { runtime: "host" };
const report: Report = await testPlugin({ command: ["node", ${JSON.stringify(server)}] }, { environment });
console.log(report.schema, report.exit_code, reportSchema.parse(report).summary.passed > 0);
const missing = await testPlugin("./missing", { environment });
console.log(missing.exit_code, missing.error?.code);
// @ts-expect-error the package's insides have no types, and cannot be imported
await import("plugin-test-harness/cli.js").catch(() => console.log("closed"));
`;

/** One well-behaved tool over line-delimited JSON-RPC. */
const echoServer = `
import { createInterface } from "node:readline";
const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
const inputSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "initialize") {
    answer(id, { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "echo", version: "1" } });
  } else if (method === "tools/list") {
    answer(id, { tools: [{ name: "echo", description: "Says it again", inputSchema }] });
  } else if (method === "tools/call") {
    const text = params.arguments?.text;
    const isError = typeof text !== "string";
    answer(id, { content: [{ type: "text", text: isError ? "text must be a string" : text }], isError });
  } else if (method === "ping") {
    answer(id, {});
  } else {
    console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no " + method } }));
  }
});
`;
