/** Claude Code's eval files: cases from one file or several, and mistakes at their places. */
import { dirname, join } from "node:path";
import t, { type Test } from "tap";
import { readEvals } from "../../../../src/agents/evals/read_evals.ts";
import { PthError } from "../../../../src/core/errors.ts";
import { mkdir, symlink, writeTextFile } from "../../../../src/platform/files.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";

async function pluginWith(t: Test, files: Record<string, string>): Promise<string> {
  const folder = await temporaryFolder(t);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeTextFile(join(folder, path), text);
  }
  return folder;
}

async function refusal(folder: string): Promise<string[]> {
  const error = await readEvals(folder).then(() => undefined, (error: unknown) => error);
  if (!(error instanceof PthError)) throw error;
  return error.message.split("\n");
}

t.test("a case is a folder with prompt.md and graders, or with case.yaml, or with both", async (t) => {
  const folder = await pluginWith(t, {
    "evals/hello/prompt.md":
      "---\nmax_turns: 5\nruns: 3\ntags: [smoke]\nallowed_tools: [Skill]\n---\n\nSay hello to Bob\n",
    "evals/hello/graders/b.md": "---\ntype: llm\nweight: 2\n---\nGreets by name\n",
    "evals/hello/graders/a.md": "---\r\ntype: regex\r\nflags: i\r\n---\r\nhello bob\r\n",
    "evals/hello/graders/README.md": "About these graders\n",
    "evals/group/find/case.yaml": `schema_version: "1.1"
name: finds
execution: { prompt: Find a rose, disallowed_tools: [Bash], env: { EVAL_A: b } }
context: { add_dirs: [], scaffold_script: make.sh }
graders:
  - { type: tool_used, name: found, tool: find, input_match: rose, max: 2 }
  - { type: tool_order, name: order, before: find, after: { tool: buy, input_match: "7" } }
`,
    "evals/group/find/prompt.md": "---\ndisallowed_tools: [Write]\n---\n",
    "evals/group/find/graders/made.md": "---\ntype: file_exists\npath: '**/*.txt'\n---\n",
    "evals/results/old/prompt.md": "no case\n",
    "evals/mocks/shop/find.md": "a rose\n",
  });
  t.strictSame(await readEvals(folder), {
    folder: "evals",
    mocked: ["shop"],
    cases: [{
      name: "finds",
      folder: "evals/group/find",
      execution: {
        prompt: "Find a rose",
        max_turns: 10,
        timeout_seconds: 300,
        allowed_tools: [],
        disallowed_tools: ["Bash", "Write"],
      },
      graders: [
        { type: "tool_used", name: "found", tool: "find", input_match: "rose", max: 2, weight: 1 },
        {
          type: "tool_order",
          name: "order",
          before: { tool: "find", input_match: undefined },
          after: { tool: "buy", input_match: "7" },
          weight: 1,
        },
        { type: "file_exists", name: "made", path: "**/*.txt", exists: true, weight: 1 },
      ],
      tags: [],
      runs: 1,
      runnerOnly: ["context.scaffold_script", "execution.env"],
    }, {
      name: "hello",
      folder: "evals/hello",
      tags: ["smoke"],
      runs: 3,
      execution: {
        prompt: "Say hello to Bob",
        max_turns: 5,
        timeout_seconds: 300,
        allowed_tools: ["Skill"],
        disallowed_tools: [],
      },
      graders: [
        {
          type: "regex",
          name: "a",
          pattern: "hello bob",
          flags: "i",
          match: "contains",
          target: "last_message",
          weight: 1,
        },
        { type: "llm", name: "b", criteria: "Greets by name", focus: "last_message", weight: 2 },
      ],
      runnerOnly: [],
    }],
  });
});

t.test("the manifest may name another folder, below the plugin", async (t) => {
  const manifest = (evals: string) => JSON.stringify({ name: "x", experimental: { evals } });
  const files = { "quality/a/prompt.md": "go", "quality/a/graders/g.md": "---\ntype: regex\n---\nx" };
  const named = await pluginWith(t, { ...files, ".claude-plugin/plugin.json": manifest("quality") });
  t.match(await readEvals(named), { folder: "quality", cases: [{ name: "a" }] });
  const outside = await pluginWith(t, { ".claude-plugin/plugin.json": manifest("../x") });
  t.match(await refusal(outside), [/plugin\.json names the folder \.\.\/x/]);
});

t.test("mistakes of all files are told at once, each at its place", async (t) => {
  const folder = await pluginWith(t, {
    "evals/a/prompt.md": "---\nmax_turns: many\nallowed_tool: [Skill]\n---\ngo\n",
    "evals/a/graders/odd.md": "---\nweight: 1\ntype: regx\n---\nx\n",
    "evals/a/graders/open.md": "---\ntype: regex\n",
    "evals/a/graders/plain.md": "no front matter\n",
    "evals/b/case.yaml": `schema_version: "2.0"
execution: { timeout_seconds: 0 }
graders:
  - { type: regex, name: r, pattern: "(", match: sometimes }
  - { type: tool_used, name: u }
  - { type: llm, name: l, criteria: c, focus: nothing, note: x }
  - just text
`,
    "evals/c/prompt.md": "TODO: describe what the agent should do\n",
    "evals/d/case.yaml": "schema_version: '1.0'\nname: [\n",
    "evals/e/prompt.md": "go\n",
    "evals/e/graders/one.md": "---\ntype: llm\n---\nTODO: describe what a successful response looks like\n",
    "evals/f/prompt.md": "go\n",
  });
  const [head, ...lines] = await refusal(folder);
  t.equal(head, "Cannot read evals: 18 problems");
  t.match(
    lines,
    [
      /^evals\/a\/graders\/odd\.md:3:7 unknown type of grader "regx" \(did you mean "regex"\?\)/,
      /^evals\/a\/graders\/open\.md:1:1 .*no end/,
      /^evals\/a\/graders\/plain\.md:1:1 expected front matter with a type/,
      /^evals\/a\/prompt\.md:2:12 max_turns: expected a number, got "many"/,
      /^evals\/a\/prompt\.md:3:1 unknown key "allowed_tool"/,
      /^evals\/b\/case\.yaml:1:17 schema_version: expected a version up to 1\.x/,
      /^evals\/b\/case\.yaml:2:31 execution\.timeout_seconds: expected a number/,
      /^evals\/b\/case\.yaml:4:38 graders\[0\]: pattern: expected a regular expression/,
      /^evals\/b\/case\.yaml:4:50 graders\[0\]: match: expected contains, not_contains or count:N/,
      /^evals\/b\/case\.yaml:5:5 graders\[1\]: tool: expected text, is missing/,
      /^evals\/b\/case\.yaml:6:47 graders\[2\]: focus: expected trace/,
      /^evals\/b\/case\.yaml:6:56 graders\[2\]: unknown key "note"/,
      /^evals\/b\/case\.yaml:7:5 graders\[3\]: expected a grader/,
      /^evals\/c\/prompt\.md:1:1 expected a prompt, this is still the template/,
      /^evals\/c\/prompt\.md:1:1 expected a grader/,
      /^evals\/d\/case\.yaml:\d+:\d+ not valid YAML/,
      /^evals\/e\/graders\/one\.md:2:1 .*still the template/,
      /^evals\/f\/prompt\.md:1:1 expected a grader/,
    ].slice(0, lines.length),
  );
  t.equal(lines.length, 18);
});

t.test("links are not followed, names are given once, and a plugin without cases is told", async (t) => {
  const grader = "---\ntype: regex\n---\nx";
  const folder = await pluginWith(t, {
    "evals/a/prompt.md": "---\nname: same\n---\ngo\n",
    "evals/a/graders/g.md": grader,
    "evals/b/prompt.md": "---\nname: same\n---\ngo\n",
    "evals/b/graders/g.md": grader,
    "evals/c/graders/g.md": grader,
    "secret.md": "go",
  });
  t.match(await refusal(folder), [/1 problem$/, /^evals\/b:1:1 another case is called "same"/]);
  await symlink("../../secret.md", join(folder, "evals/c/prompt.md"));
  t.match((await refusal(folder)).join("\n"), /evals\/c\/prompt\.md:1:1 .*link/);
  t.match(await refusal(await pluginWith(t, { "evals/a/notes.md": "x" })), [/evals holds none/]);
});
