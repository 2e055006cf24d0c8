// test: timeout=240
/** Archives as files on the command line: a bundle, a wheel and a crate that are whole, and hostile ones. */
import { dirname, join } from "node:path";
import t from "tap";
import type { InstallCheckResult } from "../../../machines/model/install_check.ts";
import { mkdir, writeFile, writeTextFile } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { openCliTurns } from "../../support/cli_turns.ts";
import { makePlace, namesIn } from "../../support/pth_run.ts";
import { zipOf } from "../../support/zip_of.ts";

const turns = openCliTurns();
t.teardown(() => turns.close());
const place = await makePlace(t);
const json = JSON.stringify;

const has = async (...command: string[]): Promise<boolean> =>
  await runCommand(command).then(({ code }) => code === 0, () => false); // there is no such program

async function check(archive: string) {
  const { code, stdout, stderr } = await turns.run(
    ["verify-install", archive, "--env", "host", "--json"],
    { env: place.env },
  );
  const { checks = [] } = JSON.parse(stdout || "{}") as { checks?: InstallCheckResult[] };
  return { code, stderr, checks, result: checks[0] };
}

async function archiveOf(name: string, files: Record<string, string>): Promise<string> {
  const file = join(place.folder, name);
  await writeFile(file, zipOf(Object.entries(files).map(([path, content]) => ({ path, content }))));
  return file;
}

/** A server of Node or Python in one file, as MCP has it over stdio. */
const nodeServer = `
const reply = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    const serverInfo = { name: "small", version: "1.0.0" };
    reply(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
  } else if (method === "tools/list") reply(id, { tools: [{ name: "echo", inputSchema: { type: "object" } }] });
});
`;
const pythonServer = `
import json
import sys


def main():
    for line in sys.stdin:
        told = json.loads(line)
        if told.get("method") == "initialize":
            result = {
                "protocolVersion": told["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "small", "version": "1.0.0"},
            }
        elif told.get("method") == "tools/list":
            result = {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}
        else:
            continue
        print(json.dumps({"jsonrpc": "2.0", "id": told["id"], "result": result}), flush=True)
`;

t.test("a bundle is unpacked, and its server started", async (t) => {
  const bundle = await archiveOf("small-1.0.0.mcpb", {
    "manifest.json": json({
      manifest_version: "0.3",
      name: "small",
      version: "1.0.0",
      description: "Small.",
      author: { name: "T" },
      server: {
        type: "node",
        entry_point: "server/index.js",
        mcp_config: { command: "node", args: ["${__dirname}/server/index.js"] },
      },
      tools: [{ name: "echo" }],
    }),
    "server/index.js": nodeServer,
  });
  const { code, stderr, result } = await check(bundle);
  t.equal(code, 0, `${stderr}${json(result)}`);
  t.match(result, { kind: "mcpb", name: "small-1.0.0.mcpb", faults: [], installed: { tools: ["echo"] } });
});

t.test("a wheel is installed, and its server started", {
  skip: !await has("python3", "-m", "pip", "--version") && "there is no pip",
}, async (t) => {
  const info = "small_py-1.0.0.dist-info";
  const files = {
    "small_py/__init__.py": "",
    "small_py/server.py": pythonServer,
    [`${info}/METADATA`]: "Metadata-Version: 2.1\nName: small-py\nVersion: 1.0.0\n",
    [`${info}/WHEEL`]: "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    [`${info}/entry_points.txt`]: "[console_scripts]\nsmall-py = small_py.server:main\n",
  };
  const record = [...Object.keys(files), `${info}/RECORD`].map((path) => `${path},,\n`).join("");
  const wheel = await archiveOf("small_py-1.0.0-py3-none-any.whl", { ...files, [`${info}/RECORD`]: record });
  const { code, stderr, result } = await check(wheel);
  t.equal(code, 0, `${stderr}${json(result)}`);
  t.match(result, { kind: "wheel", faults: [], installed: { tools: ["echo"], programs: ["small-py"] } });
});

t.test("a crate is built, and its program started", {
  skip: !await has("cargo", "--version") && "there is no cargo",
}, async (t) => {
  const folder = join(place.folder, "crate/small-rs-1.0.0");
  const files = {
    "Cargo.toml": '[package]\nname = "small-rs"\nversion = "1.0.0"\nedition = "2021"\n' +
      'description = "Small."\nlicense = "MIT"\n',
    "src/main.rs": 'fn main() {\n    println!("{}", include_str!("name.txt"));\n}\n',
    "src/name.txt": "small",
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeTextFile(join(folder, path), text);
  }
  const crate = join(place.folder, "small-rs-1.0.0.crate");
  await runCommand(["tar", "-czf", crate, "-C", dirname(folder), "small-rs-1.0.0"]);
  const { code, stderr, result } = await check(crate);
  t.equal(code, 0, `${stderr}${json(result)}`);
  t.match(result, {
    kind: "cargo",
    faults: [],
    installed: { programs: ["small-rs"] },
    notes: [/no MCP server, as it seems/],
  });
});

t.test("a hostile archive is refused with one error, and nothing of it is unpacked", async (t) => {
  const outside = join(place.folder, "outside.txt");
  const bundle = await archiveOf("evil.mcpb", { "manifest.json": "{}", [`../../..${outside}`]: "x" });
  const { code, stderr, checks } = await check(bundle);
  t.equal(code, 2);
  t.match(stderr, /Cannot unpack evil\.mcpb: it names \.\.\/\.\.\/\.\..*, which leads out of it\n/);
  t.equal(stderr.match(/Cannot /g)?.length, 1, stderr);
  t.strictSame(checks, []);
  t.notOk((await namesIn(place.folder)).includes("outside.txt"));
  t.strictSame(await namesIn(join(place.folder, "worktrees")), [], "no worktree is left");
});
