import { join } from "node:path";
import t from "tap";
import { definePlaybook } from "../../../../src/agents/playbook/define_playbook.ts";
import { readPlaybook } from "../../../../src/agents/playbook/read_playbook.ts";
import { loadPlaybook } from "../../../../src/agents/playbook/load_playbook.ts";
import { PthError } from "../../../../src/core/errors.ts";
import type { Problem } from "../../../../src/core/problems.ts";
import { mkdir, writeTextFile } from "../../../../src/platform/files.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";

function problemsOf(error: unknown): string[] {
  if (!(error instanceof PthError) || error.code !== "INVALID_PLAYBOOK") throw error;
  return (error.context.problems as Problem[]).map(({ line, column, message }) =>
    `${line}:${column} ${message}`
  );
}

function problems(text: string): string[] {
  try {
    readPlaybook("p.yaml", text);
    return [];
  } catch (error) {
    return problemsOf(error);
  }
}

t.test("turns at the top are the main lane, and lanes without a name are named by what they are for", (t) => {
  const { lanes } = readPlaybook(
    "p.yaml",
    `
turns:
  - text: Hello
lanes:
  - { subagent: "demo:*", turns: [{ text: a }] }
  - { subagent: 2, turns: [{ text: b }] }
  - { side: title, turns: [{ text: c }] }
  - { name: judge, match: { system: grade }, turns: [{ text: d }] }
`,
  );
  t.strictSame(lanes.map(({ name }) => name), ["main", "demo:*", "subagent 2", "title", "judge"]);
  t.end();
});

t.test("all mistakes of a playbook are reported at once, each at its place", (t) => {
  t.strictSame(
    problems(`turns:
  - txt: Hello
  - calls: [{ tool: 7 }]
    delay_ms: -1
  - text: Bye
    error: { status: 200 }
    expect:
      prompt: { regex: "(" }
      tool: [echo]
lanes:
  - turns: [{ text: a }]
  - subagent: [x]
    turns: []
`),
    [
      '2:5 turns[0]: unknown key "txt" (did you mean "text"?)',
      '3:21 turns[1].calls[0].tool: expected text, got 7 (in quotes it is text: "7")',
      "4:15 turns[1].delay_ms: expected a number of at least 0, got -1",
      "6:22 turns[2].error.status: expected a number of at least 400, got 200",
      "8:24 turns[2].expect.prompt.regex: expected a regular expression: /(/: Unterminated group",
      '9:7 turns[2].expect: unknown key "tool" (did you mean "tools"?)',
      "12:15 lanes[1].subagent: expected the type of a subagent (text), or its number from 1",
      "13:12 lanes[1].turns: expected a list of at least 1, got []",
    ],
  );
  t.end();
});

t.test("rules across keys are problems as well", (t) => {
  t.strictSame(
    problems(`turns:
  - when: { prompt: hello }
  - text: a
    error: { status: 429, stream: cut }
  - text: a
    error: { status: 500 }
  - text: a
    bind: { id: { tool: echo }, "a b": { regex: x } }
  - text: a
    expect: { result: { equals: 1 } }
lanes:
  - turns: [{ text: a }]
`),
    [
      "2:5 turns[0]: expected text, calls or error: the turn says nothing",
      "4:12 turns[1].error: expected one of status and stream",
      "6:12 turns[2].error: expected no text and no calls: an error with status has none",
      "8:17 turns[3].bind.id: expected one of path and regex",
      "8:40 turns[3].bind.a b: expected a name of letters, digits and _",
      "10:33 turns[4].expect.result.equals: equals is for the value at a path",
      "12:5 lanes[0]: expected one of subagent, side and match; turns of the main conversation stand at the top",
    ],
  );
  t.strictSame(problems("name: a"), ["1:1 expected turns (of the main conversation) or lanes"]);
  t.strictSame(problems("- a"), ['1:1 expected a playbook (a map with turns or lanes), got ["a"]']);
  t.strictSame(problems(""), ["1:1 expected a playbook (a map with turns or lanes), the file has none"]);
  t.end();
});

t.test("a variable that no turn has bound up to its use is a mistake; $$ is a dollar", (t) => {
  t.strictSame(
    problems(`turns:
  - { text: "costs $$5", calls: [{ tool: a, input: { id: [$id] } }] }
  - { text: $id, bind: { id: { regex: "id (.)" } } }
  - { text: "again $id" }
`),
    ["2:59 turns[0].calls[0].input.id[0]: $id is bound by no turn up to here ($$ is a plain dollar)"],
  );
  t.end();
});

t.test("a program's playbook is checked where it is defined", (t) => {
  const playbook = { turns: [{ text: "a" }] };
  t.equal(definePlaybook(playbook), playbook);
  t.throws(() => definePlaybook({ turns: [] }), { code: "INVALID_PLAYBOOK" });
  t.end();
});

t.test("a playbook is read from YAML, from JSON, and from the default export of a program", async (t) => {
  const folder = await temporaryFolder(t);
  const files = {
    "a.yaml": "turns: [{ text: hello }]",
    "b.json": '{ "turns": [{ "text": "hello" }] }',
    "c.mjs": 'export default { turns: [{ text: "hello" }] };',
  };
  for (const [name, text] of Object.entries(files)) {
    await writeTextFile(join(folder, name), text);
    t.strictSame((await loadPlaybook(join(folder, name))).lanes, [{
      name: "main",
      turns: [{ text: "hello" }],
    }], name);
  }
});

t.test("a file that is no playbook is one clear error", async (t) => {
  const folder = await temporaryFolder(t);
  await writeTextFile(join(folder, "none.mjs"), "export const a = 1;");
  await writeTextFile(join(folder, "broken.mjs"), "throw new Error('it broke');");
  await mkdir(join(folder, "folder"));
  await t.rejects(loadPlaybook(join(folder, "none.mjs")), { message: /has no default export/ });
  await t.rejects(loadPlaybook(join(folder, "broken.mjs")), { message: /cannot be imported: it broke/ });
  await t.rejects(loadPlaybook(join(folder, "folder")), { code: "TARGET_NOT_FOUND" });
  await t.rejects(loadPlaybook(join(folder, "absent.yaml")), { code: "TARGET_NOT_FOUND" });
});
