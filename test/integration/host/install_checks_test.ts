// test: timeout=300
/** Packages with many planted faults, and their twins without any, through the command line on the host. */
import { dirname, join } from "node:path";
import t, { type Test } from "tap";
import type { InstallCheckResult } from "../../../machines/model/install_check.ts";
import { mkdir, symlink, writeTextFile } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { openCliTurns } from "../../support/cli_turns.ts";
import { makePlace, namesIn } from "../../support/pth_run.ts";

const turns = openCliTurns();
t.teardown(() => turns.close());
const place = await makePlace(t);
const json = (value: unknown) => JSON.stringify(value, undefined, 2);

/** An MCP server without packages, whose only tool has the name that a module beside it exports. */
const server = `#!/usr/bin/env node
import { name } from "../lib/name.js";
import { createInterface } from "node:readline";
const reply = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    const serverInfo = { name: "small", version: "1.0.0" };
    reply(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
  } else if (method === "tools/list") reply(id, { tools: [{ name, inputSchema: { type: "object" } }] });
  else if (id !== undefined) reply(id, {});
});
`;

const manifest = {
  name: "small-server",
  version: "1.0.0",
  type: "module",
  main: "./lib/name.js",
  bin: { "small-server": "bin/server.js" },
  files: ["bin", "lib"],
  engines: { node: ">=18" },
};

const bundle = {
  manifest_version: "0.2",
  name: "small",
  version: "1.0.0",
  description: "Small.",
  author: { name: "T" },
  server: {
    type: "node",
    entry_point: "bin/server.js",
    mcp_config: { command: "node", args: ["${__dirname}/bin/server.js"] },
  },
  tools: [{ name: "echo" }],
};

/** A package of npm that is a plugin of Claude Code and an MCPB bundle, too. */
const sound = {
  "package.json": json(manifest),
  "bin/server.js": server,
  "lib/name.js": 'export const name = "echo";\n',
  ".claude-plugin/plugin.json": json({ name: "small", version: "1.0.0", description: "Small." }),
  ".mcp.json": json({
    mcpServers: { small: { command: "node", args: ["${CLAUDE_PLUGIN_ROOT}/bin/server.js"] } },
  }),
  "manifest.json": json(bundle),
  "skills/plant/SKILL.md": "---\nname: plant\ndescription: Plants.\n---\nPlant.\n",
  "commands/greet.md": "Greet.\n",
};

const faulty = {
  ...sound,
  ".gitignore": "made\n",
  "package.json": json({
    ...manifest,
    main: "./Lib/name.js",
    types: "./types/none.d.ts",
    bin: { "small-server": "bin/server.js", plain: "bin/plain.js" },
    exports: {
      ".": "./lib/entry.js",
      "./pad": "./lib/pad.js",
      "./home": "/home/me/config.js",
      "./up": "../up.js",
    },
    files: ["bin", "lib/entry.js", "lib/pad.js", "docs"],
    engines: { node: "twenty" },
  }),
  "bin/plain.js": "console.log('plain');\n",
  "lib/entry.js": 'import "./Pad.js";\n',
  "lib/pad.js": 'import pad from "small-pad-that-is-nowhere";\nexport default pad;\n',
  ".mcp.json": json({
    mcpServers: { small: { command: "node", args: ["${CLAUDE_PLUGIN_ROOT}/made/server.js"] } },
  }),
  "manifest.json": json({
    ...bundle,
    version: "2.0.0",
    description: "",
    author: "T",
    icon: "icons/none.png",
    screenshots: ["shots/none.png"],
    server: {
      type: "javascript",
      entry_point: "bin/Server.js",
      mcp_config: {
        command: "node",
        args: ["bin/server.js", "${__dirname}/../up.js", "${user_config.key}", "/home/me/key"],
      },
    },
    compatibility: { platforms: ["windows"], runtimes: { node: ">=99" } },
    tools: [{ name: "echo" }, { name: "none" }],
  }),
  "made/server.js": server,
  "hooks/hooks.json": json({
    hooks: { Stop: [{ hooks: [{ type: "command", command: "${CLAUDE_PLUGIN_ROOT}/hooks/stop.py" }] }] },
  }),
  "hooks/stop.py": "print()\n",
};

async function folderWith(name: string, files: Record<string, string>): Promise<string> {
  const folder = join(place.folder, name);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeTextFile(join(folder, path), text);
  }
  return folder;
}

async function git(folder: string, ...args: string[]) {
  const words = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", ...args];
  const { code, stderr } = await runCommand(words, { cwd: folder });
  if (code !== 0) throw new Error(stderr);
}

/** Results of a check by their kinds. Without a Claude Code, plugins are copied as it copies them. */
async function check(t: Test, target: string, ...more: string[]) {
  const { code, stdout, stderr } = await turns.run(
    ["verify-install", target, "--env", "host", "--json", ...more],
    { env: { ...place.env, PTH_CLAUDE: "/nowhere/claude" } },
  );
  t.strictSame(await namesIn(join(place.folder, "worktrees")), [], "no worktree is left");
  const { checks = [] } = JSON.parse(stdout || "{}") as { checks?: InstallCheckResult[] };
  const kinds = Object.fromEntries(checks.map((one) => [one.kind, one]));
  return { code, stderr, kinds };
}

const faultsIn = (result: InstallCheckResult | undefined): string[] =>
  (result?.faults ?? []).map(({ code, place }) => `${code} ${place}`).sort();

t.test("every planted fault of a package and of a plugin is named", async (t) => {
  const folder = await folderWith("faulty", faulty);
  await symlink("/etc/hostname", join(folder, "lib-out"));
  await git(folder, "init", "-q");
  await git(folder, "add", "-A");
  await git(folder, "commit", "-qm", "x");
  const { code, kinds, stderr } = await check(t, folder);
  t.equal(code, 1, stderr);
  t.strictSame(faultsIn(kinds["npm"]), [
    'absolute-path package.json: exports["./home"]',
    "case-mismatch lib/entry.js:1",
    "case-mismatch package.json: main",
    "import-fails package.json: exports",
    'import-fails package.json: exports["./home"]',
    'import-fails package.json: exports["./pad"]',
    'import-fails package.json: exports["./up"]',
    "no-run-bit bin/plain.js:1",
    "not-packed bin/server.js:2",
    "not-started package.json: bin.small-server",
    "not-started server",
    'outside-package package.json: exports["./up"]',
    "undeclared-dependency lib/pad.js:1",
    "wrong-engine package.json: engines.node",
    "wrong-path package.json: files[3]",
    "wrong-path package.json: types",
  ]);
  t.strictSame(faultsIn(kinds["mcpb"]), [
    "absolute-path manifest.json: server.mcp_config",
    "case-mismatch manifest.json: server.entry_point",
    "not-installed manifest.json: author.name",
    "not-installed manifest.json: description",
    "not-installed manifest.json: server.type",
    "not-started server",
    "outside-package manifest.json: server.mcp_config",
    "wrong-engine manifest.json: compatibility.platforms",
    "wrong-engine manifest.json: compatibility.runtimes.node",
    "wrong-path manifest.json: icon",
    "wrong-path manifest.json: screenshots[0]",
    "wrong-path manifest.json: server.mcp_config",
    "wrong-path manifest.json: user_config.key",
    "wrong-version package.json: version",
  ]);
  t.match(kinds["npm"]?.faults.find(({ place }) => place === "server"), {
    message: /^the server starts from its source and not from the package: Error.*lib\/name\.js/,
  });
  t.strictSame(faultsIn(kinds["claude-plugin"]), [
    "no-run-bit hooks/hooks.json: Stop",
    "no-run-bit hooks/stop.py:1",
    "not-packed .mcp.json: mcpServers.small",
    "not-started server small",
    "outside-package lib-out",
    "wrong-engine package.json: engines.node",
  ]);
});

t.test("the twins have no fault, and show the parts of their source", async (t) => {
  const folder = await folderWith("sound", sound);
  const { code, kinds, stderr } = await check(t, folder);
  t.equal(code, 0, `${stderr}${json(kinds)}`);
  t.match(kinds["npm"], {
    faults: [],
    installed: { tools: ["echo"], programs: ["small-server"] },
    notes: [],
  });
  t.match(kinds["claude-plugin"], {
    faults: [],
    installed: { tools: ["echo"], skills: ["plant"], commands: ["greet"] },
    notes: [/Claude Code is not on this machine/],
  });
  t.match(kinds["mcpb"], { faults: [], installed: { tools: ["echo"] }, notes: [] });
  for (const { source, installed } of Object.values(kinds)) t.strictSame(installed, source);
});

t.test("an archive is checked as it is, without a source", async (t) => {
  const folder = await folderWith("packed/package", sound);
  const archive = join(place.folder, "small-server-1.0.0.tgz");
  const { code: packed } = await runCommand(["tar", "-czf", archive, "-C", dirname(folder), "package"]);
  t.equal(packed, 0);
  const { code, kinds, stderr } = await check(t, archive);
  t.equal(code, 0, stderr);
  t.match(kinds["npm"], {
    name: "small-server-1.0.0.tgz",
    faults: [],
    installed: { tools: ["echo"], programs: ["small-server"] },
    notes: ["Tools were not compared: no server was started from the source"],
  });
});
