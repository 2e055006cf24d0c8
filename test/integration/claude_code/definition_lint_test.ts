// test: timeout=60
/** The real `claude plugin validate` and PTH on the same plugins: PTH finds what it finds, and more. */
import { dirname, join, relative } from "node:path";
import t from "tap";
import { lintDefinitions } from "../../../src/definition_lint/lint_definitions.ts";
import { hostPluginFiles } from "../../../src/definition_lint/plugin_files.ts";
import { mkdir, realPath, writeTextFile } from "../../../src/platform/files.ts";
import { root } from "../../support/root.ts";
import { openClaudeCode, withoutClaude } from "./claude_code.ts";

interface Validated {
  success: boolean;
  manifest: ValidatedFile;
  contents: ValidatedFile[];
}
interface ValidatedFile {
  file: string;
  errors: { path: string; message: string }[];
  warnings: { path: string; message: string }[];
}

const planted: Record<string, string> = {
  ".claude-plugin/plugin.json": JSON.stringify({
    name: "Bad Name",
    author: "me",
    homepage: "nope",
    keywords: "a,b",
    commands: ["./none"],
    hooks: ["../out.json"],
    agents: "./agents",
    repository: { type: "git" },
    license: 3,
    unknownField: 1,
  }),
  ".mcp.json": '{ "mcpServers": { "t": { "command": 3 } } }',
  "skills/a/SKILL.md": "---\nname: a\n---\nNo description.\n",
  "skills/b/SKILL.md": "---\nname: b\ndescription: d\nallowed-tools: 3\n---\ntext\n",
  "skills/c/SKILL.md": "no front matter\n",
  "commands/x.md": "---\ndescription: [1]\n---\n",
  "commands/y.md": "nothing\n",
  "agents/x.md": "---\nname: x\n---\nx\n",
  "hooks/hooks.json": JSON.stringify({
    hooks: {
      PreTolUse: [],
      PreToolUse: [
        { matcher: "Bash", hooks: [{ type: "comand" }, { type: "command", command: "x", timeout: -1 }] },
        { hook: [] },
      ],
    },
  }),
};
const unquoted = {
  ".claude-plugin/plugin.json":
    '{ "name": "q", "version": "1.0.0", "description": "d", "author": { "name": "a" } }',
  "hooks/hooks.json": JSON.stringify({
    hooks: { Stop: [{ hooks: [{ type: "command", command: "${CLAUDE_PLUGIN_ROOT}/a.sh" }] }] },
  }),
  "a.sh": "#!/bin/sh\n",
};
const market = {
  ".claude-plugin/marketplace.json": JSON.stringify({
    name: "Market Place",
    owner: "me",
    plugins: [{ name: "x", source: "../out" }, { name: "y" }, { source: "./" }],
  }),
};

t.test("every finding of Claude Code's validation is one of PTH's", { skip: withoutClaude }, async (t) => {
  const place = await openClaudeCode(t);
  for (const [name, files] of Object.entries({ planted, unquoted, market })) {
    const folder = join(place.project, name);
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeTextFile(join(folder, path), text);
    }
    const { stdout, stderr } = await place.claude(["plugin", "validate", folder, "--json"]);
    const { manifest, contents } = JSON.parse(stdout || stderr) as Validated;
    const { findings } = await lintDefinitions(await hostPluginFiles(folder));
    let compared = 0;
    for (const { file, errors, warnings } of [manifest, ...contents]) {
      const path = relative(await realPath(folder), await realPath(file));
      const ours = findings.filter((finding) => finding.file === path);
      const theirs = [...errors, ...warnings];
      for (const { path: key, message } of theirs) {
        compared++;
        const word = key.split(/[.[\]]/).findLast((each) => /^[a-z]/i.test(each)) ?? key;
        const subject = word === "frontmatter" ? "front matter" : key.startsWith("hooks") ? "" : word;
        t.ok(ours.some((finding) => finding.message.includes(subject)), `${path} ${key}: ${message}`);
      }
      const places = theirs.map(({ path, message }) =>
        path === "hooks" ? message : path.replaceAll(/\[(\d+)\]/g, ".$1")
      );
      t.ok(ours.length >= new Set(places).size, path);
    }
    t.ok(compared > 0, name);
  }
});

t.test("what has no finding is valid for Claude Code", { skip: withoutClaude }, async (t) => {
  const place = await openClaudeCode(t);
  for (const folder of [root, join(root, "test/fixtures/guarded_plugin")]) {
    t.same((await lintDefinitions(await hostPluginFiles(folder))).findings, []);
    const { code, stdout } = await place.claude(["plugin", "validate", folder, "--strict"]);
    t.equal(code, 0, stdout);
  }
});
