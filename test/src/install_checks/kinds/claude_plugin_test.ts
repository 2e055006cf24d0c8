import t from "tap";
import claudePlugin from "../../../../src/install_checks/kinds/claude_plugin.ts";
import { faultsOf, treesOf } from "../trees_of.ts";

const json = JSON.stringify;
const root = "${CLAUDE_PLUGIN_ROOT}";
const hook = (command: string) => ({ hooks: [{ type: "command", command }] });

const sound = {
  ".claude-plugin/plugin.json": json({ name: "p", version: "1", commands: ["./extra"] }),
  ".claude-plugin/marketplace.json": json({
    name: "m",
    plugins: [{ name: "other", source: "./other", version: "3" }, {
      name: "p",
      source: "./",
      version: "1.0",
    }],
  }),
  "package.json": json({ private: true, version: "0.0.0" }),
  ".mcp.json": json({ mcpServers: { s: { command: "node", args: [`${root}/server.js`] } } }),
  "hooks/hooks.json": json({
    hooks: {
      PreToolUse: [{ matcher: "Bash", ...hook(`"${root}"/hooks/guard.sh --dir "$CLAUDE_PROJECT_DIR/x.js"`) }],
      Stop: [hook("node ${CLAUDE_PLUGIN_ROOT}/hooks/stop.mjs")],
    },
  }),
  "hooks/guard.sh*": "#!/bin/sh\nexit 0\n",
  "hooks/stop.mjs": 'import fs from "node:fs";\n',
  "server.js": 'import "./lib/tools.js";\nimport "bundled";\nimport "@scope/bundled/x";\n',
  "lib/tools.js": "",
  "commands/greet.md": "",
  "commands/more/deep.md": "",
  "extra/other.md": "",
  "agents/helper.md": "",
  "skills/plant/SKILL.md": "",
  "skills/plant/deeper/SKILL.md": "",
};

t.test("a plugin that is whole has no fault, and all of its parts are seen", async (t) => {
  const trees = treesOf(sound, {}, ["bundled", "@scope/bundled"]);
  t.strictSame(await faultsOf(claudePlugin, trees), []);
  t.strictSame(await claudePlugin.parts(trees.installed), {
    skills: ["plant"],
    commands: ["greet", "more/deep", "other"],
    agents: ["helper"],
    hooks: ["PreToolUse (Bash)", "Stop"],
    programs: [],
  });
});

t.test("each planted fault is found at its place", async (t) => {
  const installed = {
    ".claude-plugin/plugin.json": json({
      name: "p",
      commands: ["./Commands/greet.md", "../shared/commands"],
      agents: "./agents/none.md",
      mcpServers: {
        relative: { command: "node", args: ["server.js"] },
        personal: { command: "/home/me/node", args: [`${root}/dist/server.js`] },
      },
    }),
    "hooks/hooks.json": json({
      hooks: {
        Stop: [
          hook(`${root}/hooks/stop.py`),
          hook(`${root}/../outside.sh`),
          hook(`sh ${root}/hooks/windows.sh; ${root}/hooks/windows.sh`),
        ],
        PreToolUse: [hook(`'${root}/hooks/windows.sh'`)],
      },
    }),
    "hooks/stop.py": "print()\n",
    "hooks/windows.sh*": "#!/bin/sh\r\nexit 0\r\n",
    "commands/greet.md": "",
    "package.json": json({ engines: { node: "<18" } }),
    "server.js": "",
  };
  const source = { "dist/server.js": "", "shared": "->../../shared" };
  t.strictSame(await faultsOf(claudePlugin, treesOf(installed, source)), [
    "absolute-path .claude-plugin/plugin.json: mcpServers.personal",
    "case-mismatch .claude-plugin/plugin.json: commands[0]",
    "no-run-bit hooks/hooks.json: Stop",
    "no-run-bit hooks/stop.py:1",
    "no-run-bit hooks/windows.sh:1",
    "not-packed .claude-plugin/plugin.json: mcpServers.personal",
    "outside-package .claude-plugin/plugin.json: commands[1]",
    "outside-package hooks/hooks.json: Stop",
    "outside-package shared",
    "wrong-engine package.json: engines.node",
    "wrong-path .claude-plugin/plugin.json: agents",
    "wrong-path .claude-plugin/plugin.json: mcpServers.relative",
  ]);
});

t.test("a server's import of a package that the plugin does not hold is told", async (t) => {
  const trees = treesOf({
    ".claude-plugin/plugin.json": json({ name: "p" }),
    ".mcp.json": json({ mcpServers: { s: { command: "node", args: [`${root}/server.js`] } } }),
    "server.js": 'import "./tools.js";\n',
    "tools.js": '\nimport { z } from "zod";\n',
  });
  t.match(await claudePlugin.inspect(trees), [{
    code: "undeclared-dependency",
    place: "tools.js:2",
    message: "imports zod, which is not brought along: a marketplace installs no packages",
  }]);
});

t.test("versions that differ from the manifest's are told", async (t) => {
  const trees = treesOf({
    ".claude-plugin/plugin.json": json({ name: "p", version: "1.1.0" }),
    ".claude-plugin/marketplace.json": json({ plugins: [{ name: "p", source: "./", version: "1.0.0" }] }),
    "package.json": json({ version: "2.0.0" }),
  });
  t.match(await claudePlugin.inspect(trees), [
    {
      code: "wrong-version",
      place: ".claude-plugin/marketplace.json: version",
      message: "says 1.0.0, and .claude-plugin/plugin.json says 1.1.0",
    },
    { code: "wrong-version", place: "package.json: version" },
  ]);
});

t.test("a manifest that cannot be read is told alone", async (t) => {
  const trees = treesOf({ ".claude-plugin/plugin.json": "{", ".mcp.json": "{}" });
  t.strictSame(await faultsOf(claudePlugin, trees), ["wrong-path .claude-plugin/plugin.json"]);
});
