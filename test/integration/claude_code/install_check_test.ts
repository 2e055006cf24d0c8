// test: timeout=240
/** PTH's own plugin and one with many planted faults, installed by the real Claude Code from a marketplace. */
import { dirname, join } from "node:path";
import t from "tap";
import type { InstallCheckResult } from "../../../machines/model/install_check.ts";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { openCliTurns } from "../../support/cli_turns.ts";
import { makePlace, root } from "../../support/pth_run.ts";
import { withoutClaude } from "./claude_code.ts";

const skip = withoutClaude;
const turns = openCliTurns();
t.teardown(() => turns.close());
const place = await makePlace(t);

async function check(target: string) {
  const { code, stdout, stderr } = await turns.run(
    ["verify-install", target, "--env", "host", "--kind", "claude-plugin", "--no-source", "--json"],
    { env: place.env },
  );
  const { checks = [] } = JSON.parse(stdout || "{}") as { checks?: InstallCheckResult[] };
  return { code, stderr, result: checks[0] };
}

t.test("PTH's own plugin is installed whole", { skip }, async (t) => {
  const { code, result, stderr } = await check(root);
  t.equal(code, 0, `${stderr}${JSON.stringify(result)}`);
  t.match(result, {
    name: "pth",
    faults: [],
    installed: {
      skills: ["fix-plugin", "pth-tdd", "test-plugin", "write-tests"],
      commands: ["fix", "test", "watch"],
      agents: ["fixer"],
    },
  });
  t.ok(
    result?.installed?.tools.includes("pth_start_session"),
    "its server starts from where it was installed",
  );
  t.notOk(
    result?.notes.some((note) => note.includes("Claude Code is not")),
    "Claude Code itself installed it",
  );
});

const json = JSON.stringify;
const inPlugin = "${CLAUDE_PLUGIN_ROOT}";
const hook = (command: string) => ({ hooks: [{ type: "command", command }] });
const faulty = {
  ".gitignore": "dist\n",
  ".claude-plugin/plugin.json": json({
    name: "faulty",
    version: "1.1.0",
    description: "Faulty.",
    commands: ["./Commands/greet.md"],
    agents: ["./agents/none.md"],
  }),
  ".claude-plugin/marketplace.json": json({
    name: "faulty-market",
    owner: { name: "T" },
    plugins: [{ name: "faulty", source: "./", version: "1.0.0" }],
  }),
  ".mcp.json": json({
    mcpServers: {
      made: { command: "node", args: [`${inPlugin}/dist/server.js`] },
      relative: { command: "node", args: ["server.js"] },
      personal: { command: "/home/me/node", args: [] },
      foreign: { command: "node", args: [`${inPlugin}/server.js`] },
    },
  }),
  "hooks/hooks.json": json({
    hooks: {
      Stop: [hook(`${inPlugin}/hooks/stop.py`), hook(`${inPlugin}/../outside.sh`)],
    },
  }),
  "hooks/stop.py": "print()\n",
  "server.js": 'import "nowhere-at-all";\n',
  "dist/server.js": "",
  "commands/greet.md": "Greet.\n",
  "package.json": json({ private: true, type: "module", engines: { node: "<18" } }),
};

t.test("each of a plugin's planted faults is found where a marketplace has put it", { skip }, async (t) => {
  const folder = join(place.folder, "faulty");
  for (const [path, text] of Object.entries(faulty)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeTextFile(join(folder, path), text);
  }
  for (const args of [["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]]) {
    const words = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", ...args];
    t.equal((await runCommand(words, { cwd: folder })).code, 0);
  }
  const { code, result, stderr } = await check(folder);
  t.equal(code, 1, stderr);
  t.strictSame(result?.faults.map(({ code, place }) => `${code} ${place}`).sort(), [
    "absolute-path .mcp.json: mcpServers.personal",
    "case-mismatch .claude-plugin/plugin.json: commands",
    "no-run-bit hooks/hooks.json: Stop",
    "no-run-bit hooks/stop.py:1",
    "not-packed .mcp.json: mcpServers.made",
    "not-started server foreign",
    "not-started server made",
    "not-started server personal",
    "not-started server relative",
    "outside-package hooks/hooks.json: Stop",
    "undeclared-dependency server.js:1",
    "wrong-engine package.json: engines.node",
    "wrong-path .claude-plugin/plugin.json: agents",
    "wrong-path .mcp.json: mcpServers.relative",
    "wrong-version .claude-plugin/marketplace.json: version",
  ]);
  t.notOk(result?.notes.some((note) => note.includes("Claude Code is not")), "Claude Code installed it");
});
