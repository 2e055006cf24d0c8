/** The npm tarball, installed in an empty folder, on plain Node. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { writeTextFile } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

t.test("npx pth works from the tarball in an empty folder", async (t) => {
  const folder = t.testdir({ app: { "package.json": '{ "private": true }' } });
  const app = join(folder, "app");
  const packed = await runCommand(["npm", "pack", "--silent", "--pack-destination", folder], { cwd: root });
  t.equal(packed.code, 0, packed.stderr);
  const tarball = join(folder, packed.stdout.trim().split("\n").at(-1)!);
  const installed = await runCommand(["npm", "install", "--no-fund", "--no-audit", tarball], { cwd: app });
  t.equal(installed.code, 0, installed.stderr);

  const help = await runCommand(["npx", "--no-install", "pth", "--help"], { cwd: app });
  t.equal(help.code, 0, help.stderr);
  t.match(help.stdout, /Usage: pth/);

  const wrong = await runCommand(["npx", "--no-install", "pth", "run", "./missing"], { cwd: app });
  t.equal(wrong.code, 2, wrong.stderr);
  t.match(wrong.stderr, /missing/);

  const listed = await runCommand(["tar", "-tzf", tarball]);
  t.notMatch(listed.stdout, /package\/(src|test|scripts|node_modules)\//, "sources and tests stay at home");
  t.match(listed.stdout, "package/dist/images/", "base images can be built from it");
  t.match(listed.stdout, "package/dist/src/visualizer/chart/layouts.json", "no chart is laid out anew");

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

  const program = join(app, "program.mts");
  await writeTextFile(program, fromCode(server));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const strict = ["--strict", "--module", "nodenext", "--target", "es2022", "--types", "node"];
  const typeRoots = ["--typeRoots", join(root, "node_modules/@types")];
  const compiled = await runCommand(["node", tsc, ...strict, ...typeRoots, program], { cwd: app });
  t.equal(compiled.code, 0, `the package's types hold for a strict program: ${compiled.stdout}`);
  const ran = await runCommand(["node", join(app, "program.mjs")], { cwd: app });
  t.same(ran.stdout.trim().split("\n"), ["pth-report/1 0 true", "2 TARGET_NOT_FOUND", "closed"], ran.stderr);

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
  t.match(script, "chart-frame", "the page is bundled from what is installed");
  t.match(style, ".chart {");
});

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
await import("plugin-test-harness/dist/src/cli.js").catch(() => console.log("closed"));
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
