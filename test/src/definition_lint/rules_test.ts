import t from "tap";
import { lintDefinitions } from "../../../src/definition_lint/lint_definitions.ts";
import { registry } from "../../../src/definition_lint/rules/_registry.ts";
import { pluginFilesOf } from "./plugin_files_of.ts";

type Files = Record<string, string>;

/** Findings of one rule, as `file:line message`. */
async function found(rule: string, files: Files, executable: string[] = []): Promise<string[]> {
  const rules = registry.filter(({ code }) => code === rule);
  t.equal(rules.length, 1, rule);
  const { findings } = await lintDefinitions(pluginFilesOf(files, executable), rules);
  for (const { next, column } of findings) t.ok(next.length > 5 && column > 0);
  return findings.map(({ file, line, message }) => `${file}:${line} ${message}`);
}

const json = (value: unknown) => JSON.stringify(value, undefined, 2);
const manifest = (value: object = {}): Files => ({
  ".claude-plugin/plugin.json": json({ name: "p", version: "1.0.0", description: "d", ...value }),
});
const market = (value: object = {}): Files => ({
  ".claude-plugin/marketplace.json": json({ name: "m", owner: { name: "o" }, plugins: [], ...value }),
});
const hooks = (hook: object, event = "PreToolUse", group: object = {}): Files => ({
  "hooks/hooks.json": json({ hooks: { [event]: [{ ...group, hooks: [{ type: "command", ...hook }] }] } }),
});
const front = (keys: string, body = "text\n") => `---\n${keys}\n---\n${body}`;
const skill = (keys: string, body?: string): Files => ({ "skills/a/SKILL.md": front(keys, body) });
const command = (keys: string, body?: string): Files => ({ "commands/a.md": front(keys, body) });
const agent = (keys: string): Files => ({ "agents/a.md": front(keys) });
const whole = "name: a\ndescription: d";

t.test("`syntax` names what cannot be read, at its place in the file", async (t) => {
  t.match(await found("syntax", { ...manifest(), ".mcp.json": "{" }), [/^\.mcp\.json:1 not valid/]);
  t.match(await found("syntax", skill("name: a\ndescription: [b")), [/^skills\/a\/SKILL.md:\d/]);
  t.match(await found("syntax", skill("- a")), [/SKILL.md:2 expected a map of keys/]);
  t.match(await found("syntax", { ".claude-plugin/plugin.json": "[]" }), [
    /plugin.json:1 expected a JSON object/,
  ]);
  t.same(await found("syntax", { ...manifest(), ...skill(whole) }), []);
});

t.test("`manifest` compares plugin.json with what Claude Code takes", async (t) => {
  t.match(
    await found("manifest", manifest({ name: "A B", author: "me", keywords: "k", extra: 1, homepage: "x" })),
    [
      /:2 name: expected a name/,
      /author: expected a map/,
      /keywords: expected a list/,
      /unknown key "extra"/,
      /homepage: Invalid URL/,
    ],
  );
  t.match(await found("manifest", { ".claude-plugin/plugin.json": json({ name: "P_q", version: "1.x" }) }), [
    /no description/,
    /not in kebab-case/,
    /"1.x" is no semantic version/,
  ]);
  t.match(await found("manifest", {}), [/there is no plugin.json/]);
  t.same(await found("manifest", market()), []);
  t.same(await found("manifest", manifest({ author: { name: "a" }, hooks: "./h.json", userConfig: {} })), []);
});

t.test("`manifest-path` follows the paths of plugin.json", async (t) => {
  const files = {
    "more/a.md": "x",
    ...manifest({ commands: ["./more", "./none", "more"], skills: "../out" }),
  };
  t.match(await found("manifest-path", files), [
    /commands: there is no .\/none/,
    /commands: more does not begin with .\//,
    /skills: ..\/out leads out of the plugin/,
  ]);
  t.match(await found("manifest-path", { "agents/a.md": "x", ...manifest({ agents: "./agents" }) }), [
    /is no file/,
  ]);
  t.same(await found("manifest-path", { "more/a.md": "x", ...manifest({ commands: "./more" }) }), []);
});

t.test("`marketplace` compares marketplace.json, and looks where its plugins are", async (t) => {
  const plugins = [
    { name: "a", source: "./a" },
    { name: "a", source: "./none" },
    { name: "b", source: "../b" },
    { name: "c", source: "c" },
    { name: "d", source: "./d", version: "2.0.0" },
    { source: "./a" },
  ];
  const files = {
    "a/x": "",
    "d/.claude-plugin/plugin.json": json({ name: "d", version: "1.0.0" }),
    ...market({ name: "A B", owner: "me", plugins }),
  };
  t.match((await found("marketplace", files)).sort(), [
    /:10 another plugin/,
    /:11 there is no folder .\/none/,
    /:15 ..\/b leads out/,
    /:19 c does not begin with .\//,
    /:2 name: expected a name/,
    /:24 the version is 2.0.0 here and 1.0.0 in plugin.json/,
    /:26 plugins\[5\].name: expected text, is missing/,
    /:3 owner: expected a map/,
  ]);
  t.same(await found("marketplace", { "a/x": "", ...market({ plugins: plugins.slice(0, 1) }) }), []);
  t.same(
    await found(
      "marketplace",
      market({ plugins: [{ name: "g", source: { source: "github", repo: "o/r" } }] }),
    ),
    [],
  );
});

t.test("`skill-front-matter` looks at names and keys", async (t) => {
  t.match(await found("skill-front-matter", { "skills/a/SKILL.md": "text" }), [/no front matter/]);
  t.match(await found("skill-front-matter", skill("name: B_c\ndescripton: d\nallowed-tools: 3")), [
    /:2 the skill is called "B_c" and its folder "a"/,
    /:2 "B_c" is no name of a skill/,
    /:3 "descripton" is no key of a skill/,
    /:4 allowed-tools: expected a text, or a list of texts, got 3/,
  ]);
  t.same(await found("skill-front-matter", skill(`${whole}\nallowed-tools: [Bash]\nmetadata: { x: 1 }`)), []);
});

t.test("`skill-description` wants one, of a length that is read", async (t) => {
  t.match(await found("skill-description", skill("name: a")), [/no description/]);
  t.match(await found("skill-description", skill(`name: a\ndescription: ${"x".repeat(1025)}`)), [
    /:3 the description has 1025 characters, and skills have 1024 at most$/,
  ]);
  t.match(await found("skill-description", skill(`description: ${"x".repeat(1600)}`)), [
    /cuts it after 1536/,
  ]);
  t.same(await found("skill-description", skill(whole)), []);
});

t.test("`command-front-matter` wants a description, and a hint for arguments", async (t) => {
  t.match(await found("command-front-matter", command("model: 3", "a\nb $ARGUMENTS\n")), [
    /:1 the command has no description/,
    /:2 model: expected a text/,
    /:5 the command takes arguments/,
  ]);
  t.same(await found("command-front-matter", command("description: d\nargument-hint: '[x]'", "b $1\n")), []);
});

t.test("`agent-front-matter` wants a name that is its own, and nothing that plugins may not say", async (t) => {
  t.match(await found("agent-front-matter", agent("description: d")), [/:1 the agent has no name/]);
  t.match(await found("agent-front-matter", agent(`${whole}\nhooks: {}\ncolour: red`)), [
    /:4 hooks counts for nothing/,
    /:5 "colour" is no key of an agent/,
  ]);
  t.match(await found("agent-front-matter", { ...agent(whole), "agents/b.md": front(whole) }), [
    /b.md:2 another agent is called "a": agents\/a.md/,
  ]);
  t.same(await found("agent-front-matter", agent(`${whole}\ntools: Read, Bash\nmodel: haiku`)), []);
});

t.test("`broken-link` follows links to files, and no others", async (t) => {
  const body = [
    "See [a](ref/a.md#x), [b](none.md), [c](https://example.com/none), [d](#here) and [e](../../../x.md).",
    "```",
    "[f](none.md)",
    "```",
    "Run ${CLAUDE_PLUGIN_ROOT}/scripts/none.sh, or ${CLAUDE_PLUGIN_ROOT}/scripts/a.sh.",
  ].join("\n");
  const files = { ...skill(whole, body), "skills/a/ref/a.md": "", "scripts/a.sh": "" };
  t.match(await found("broken-link", files), [
    /:5 there is no none.md/,
    /:5 the link leads out of the plugin: ..\/..\/..\/x.md/,
    /:9 there is no scripts\/none.sh in the plugin/,
  ]);
  t.same(await found("broken-link", skill(whole, "[a](SKILL.md)")), []);
});

t.test("`hook-definition` tells hooks that are not loaded", async (t) => {
  t.match(await found("hook-definition", hooks({}, "PreTool")), [/there is no event "PreTool"/]);
  t.match(await found("hook-definition", hooks({ command: "x", timeout: "5" })), [
    /timeout: expected a number/,
  ]);
  t.same(
    await found("hook-definition", { ...hooks({ command: "x" }), ...manifest({ hooks: "./none.json" }) }),
    [],
  );
});

t.test("`hook-matcher` tells what never fits", async (t) => {
  t.match(await found("hook-matcher", hooks({ command: "x" }, "PreToolUse", { matcher: "bash" })), [
    /:5 the matcher "bash" never fits/,
  ]);
  t.match(await found("hook-matcher", hooks({ command: "x", if: "Bash(git *)" }, "Stop")), [
    /the hook never runs/,
  ]);
  t.same(
    await found(
      "hook-matcher",
      hooks({ command: "x", if: "Bash(git *)" }, "PreToolUse", { matcher: "Bash" }),
    ),
    [],
  );
});

t.test("`hook-quoting` wants folders in double quotes", async (t) => {
  const of = (line: string, rest = {}) => found("hook-quoting", hooks({ command: line, ...rest }));
  t.match(await of("${CLAUDE_PLUGIN_ROOT}/a.sh"), [/stands without quotes/]);
  t.match(await of("sh $CLAUDE_PROJECT_DIR/a.sh"), [/stands without quotes/]);
  t.match(await of("'${CLAUDE_PLUGIN_ROOT}/a.sh'"), [/stands in single quotes/]);
  t.same(await of('"${CLAUDE_PLUGIN_ROOT}/a.sh"'), []);
  t.same(await of("\"${CLAUDE_PLUGIN_ROOT}\"/a.sh 'x'"), []);
  t.same(await of("sh", { args: ["${CLAUDE_PLUGIN_ROOT}/a.sh"] }), []);
});

t.test("`hook-script` wants scripts that are there and can be run, and variables that there are", async (t) => {
  const of = (line: string, text = "#!/bin/sh\n", executable = ["a.sh"], rest = {}) =>
    found("hook-script", { ...hooks({ command: line, ...rest }), "a.sh": text, "s/b": "" }, executable);
  t.match(await of('"${CLAUDE_PLUGIN_ROOT}/none.sh"'), [/there is no none.sh/]);
  t.match(await of('"${CLAUDE_PLUGIN_ROOT}"/a.sh', "#!/bin/sh", []), [/a.sh lacks its run bit/]);
  t.match(await of("${CLAUDE_PLUGIN_ROOT}/a.sh", "echo hi\n"), [/does not say what runs it/]);
  t.match(await of('"${CLAUDE_PLUGIN_ROOT}/s"'), [/s is a folder/]);
  t.match(await of("sh ${CLAUDE_PLUGIN_DIR}/a.sh"), [/no variable CLAUDE_PLUGIN_DIR/]);
  t.match(await of("echo ${user_config.key}"), [/refuses \${user_config/]);
  t.match(await of("sh", "", [], { args: ["${CLAUDE_PLUGIN_ROOT}/none.sh"] }), [/there is no none.sh/]);
  t.same(await of('"${CLAUDE_PLUGIN_ROOT}/a.sh" x'), []);
  t.same(await of('sh "${CLAUDE_PLUGIN_ROOT}/a.sh"', "echo hi\n", []), [], "its interpreter runs it");
});

t.test("`server-definition` tells servers that are dropped", async (t) => {
  const of = (mcpServers: object) => found("server-definition", { ".mcp.json": json({ mcpServers }) });
  t.match(await of({ a: { command: 3 }, b: {}, c: "x", d: { command: "x", args: "y", env: { A: 1 } } }), [
    /server a: command: expected a text/,
    /server b: it has neither command nor url/,
    /server c: expected an object/,
    /server d: args: expected a list of texts/,
    /server d: env: expected texts/,
  ]);
  t.same(await of({ a: { command: "x", args: ["y"] }, b: { type: "http", url: "http://127.0.0.1/" } }), []);
});

t.test("`misplaced` tells parts that are not looked for there", async (t) => {
  const files = {
    ".claude-plugin/commands/a.md": "",
    "hooks.json": "{}",
    "skills/b.md": "",
    "skills/c/skill.md": "",
  };
  t.match(await found("misplaced", files), [
    /commands is not loaded from .claude-plugin/,
    /hooks are not loaded from hooks.json/,
    /a skill is a folder with SKILL.md/,
    /skill.md is not loaded/,
  ]);
  t.same(
    await found("misplaced", { ...skill(whole), "hooks.json": "{}", ...manifest({ hooks: "./hooks.json" }) }),
    [],
  );
});

t.test("`duplicate-name` tells a command and a skill of one name", async (t) => {
  t.match(await found("duplicate-name", { ...skill(whole), ...command("description: d") }), [
    /commands\/a.md:1 "a" is the name of skills\/a\/SKILL.md, too/,
  ]);
  t.same(await found("duplicate-name", { ...skill(whole), "commands/x/a.md": front("description: d") }), []);
});
