/** Fixtures from files: what is added up, and all mistakes at their places. */
import { dirname, join } from "node:path";
import t, { type Test } from "tap";
import type { PthError } from "../../../../src/core/errors.ts";
import type { Problem } from "../../../../src/core/problems.ts";
import { readFixtures } from "../../../../src/agent_fixtures/format/read_fixtures.ts";
import { mkdir, symlink, writeTextFile } from "../../../../src/platform/files.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";

const manifest = { ".claude-plugin/plugin.json": JSON.stringify({ name: "garden" }) };

async function placeOf(t: Test, files: Record<string, string>): Promise<string> {
  const folder = await temporaryFolder(t);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeTextFile(join(folder, path), text);
  }
  return folder;
}

async function problemsOf(folder: string): Promise<string[]> {
  const error = await readFixtures(folder).then(() => undefined, (error: PthError) => error);
  const { problems = [] } = (error?.context ?? {}) as { problems?: Problem[] };
  return problems.map(({ file, line, column, message }) =>
    `${file.slice(folder.length + 1)}:${line}:${column} ${message}`
  );
}

t.test("setup and teardown of fixture and test add up; a matrix multiplies the tests that use it", async (t) => {
  const folder = await placeOf(t, {
    ...manifest,
    "shared/config.yaml": "a: 1\n",
    "fixtures/rose/fixture.yaml": `name: rose
setup:
  files: [{ src: shared/config.yaml, dest: .rose/config.yaml }]
  commands: [one]
teardown: { commands: [three] }
execution: { timeout_ms: 30000, tools: [Bash] }
matrix: { word: [rose, moss] }
`,
    "fixtures/rose/own.md": "x",
    "fixtures/rose/tests/test_all.yaml": `test_id: all
tags: [quick]
execution:
  prompt: "find \${matrix.word}"
  playbook: { turns: [{ text: "\${matrix.word}" }] }
setup: { commands: [two], files: [{ src: own.md, dest: own.md }] }
teardown: { commands: [zero] }
expectations:
  - { type: output_contains, expected: { pattern: "\${matrix.word}" } }
---
test_id: plain
execution: { prompt: go, timeout_ms: 5 }
`,
  });
  const { fixtures: [fixture], lints } = await readFixtures(folder);
  t.equal(fixture?.plugin, join(folder, ""));
  t.strictSame(fixture?.tests.map(({ id }) => id), ["all[word=rose]", "all[word=moss]", "plain"]);
  t.match(fixture?.tests[1], {
    prompt: "find moss",
    timeoutMs: 30_000,
    tools: ["Bash"],
    playbook: { lanes: [{ turns: [{ text: "moss" }] }] },
    start: {
      files: [{ from: "shared/config.yaml", to: ".rose/config.yaml" }, { from: "fixtures/rose/own.md" }],
      commands: ["one", "two"],
    },
    teardown: ["zero", "three"],
    expectations: [{
      id: "exp-001",
      expected: { pattern: "moss" },
      description: /matches \/moss\//,
      line: 9,
    }],
  });
  t.match(fixture?.tests[2], { timeoutMs: 5, line: 11 });
  t.match(lints.map(({ message }) => message), [/has 3 tests/, /plain expects nothing/]);
});

t.test("all mistakes of all files are told at their places", async (t) => {
  const folder = await placeOf(t, {
    ...manifest,
    "a/fixture.yaml": "name: a\npackage: weeds@market\nsetups: {}\n",
    "b/fixture.yaml": "name: b\npackage: weeds@market\nsetup: { branch: valid }\n",
    "b/test_one.yaml": `test_id: one
execution: { prompt: go, playbook: missing.yaml }
setup: { files: [{ src: none.md, dest: x }] }
`,
    "b/test_two.yaml": `test_id: two
execution: { prompt: "\${matrix.no}" }
expectations:
  - { type: tool_cal, expected: { tool: Bash } }
  - { type: tool_call, expected: { tol: Bash } }
  - { type: output_contains, expected: { pattern: "(" } }
  - type: hook_event
`,
    "b/test_wide.yaml": `test_id: wide
execution: { prompt: "\${matrix.a}\${matrix.b}" }
matrix: { a: [${Array.from({ length: 20 }, (_, at) => at)}], b: [${
      Array.from({ length: 11 }, (_, at) => at)
    }] }
`,
    "c/fixture.yaml": "name: b\n",
    "c/test_up.yaml": "test_id: up\nexecution: { prompt: go }\nsetup: { files: [{ src: ../b, dest: x }] }\n",
  });
  const found = await problemsOf(folder);
  for (
    const wanted of [
      /^a\/fixture\.yaml:3:1 unknown key "setups" \(did you mean "setup"\?\)/,
      /^b\/fixture\.yaml:2:10 there is no plugin weeds@market/,
      /^b\/test_one\.yaml:2:36 there is no playbook missing\.yaml/,
      /^b\/test_one\.yaml:3:25 there is no none\.md/,
      /^b\/test_one\.yaml:1:1 there is no branch test\/b\/valid: the fixture is in no git repository/,
      /^b\/test_two\.yaml:1:1 \$\{matrix\.no\} is not in the matrix/,
      /^b\/test_two\.yaml:4:13 expectations\[0\]\.type: unknown type "tool_cal" \(did you mean "tool_call"\?\)/,
      /^b\/test_two\.yaml:5:36 expectations\[1\]\.expected: unknown key "tol" \(did you mean "tool"\?\)/,
      /^b\/test_two\.yaml:6:51 .*expected a regular expression/,
      /^b\/test_two\.yaml:7:5 expectations\[3\]\.expected: .* is missing/,
      /^b\/test_wide\.yaml:3:9 .*at most 200 variants of a test, the matrix makes 220/,
      /^c\/fixture\.yaml:1:7 another fixture is called "b"/,
      /^c\/test_up\.yaml:3:25 .*does not climb out/,
    ]
  ) t.ok(found.some((line) => wanted.test(line)), `${wanted} in\n${found.join("\n")}`);
});

t.test("a test runs on each of its agents, or of its fixture's, beside the values of its matrix", async (t) => {
  const folder = await placeOf(t, {
    ...manifest,
    "fixture.yaml": "name: a\nexecution: { agents: [claude, codex] }\nmatrix: { word: [rose, moss] }\n",
    "claude.yaml": "turns: [{ text: by claude }]\n",
    "codex.yaml": "turns: [{ text: by codex }]\n",
    "test_both.yaml": `test_id: both
test_name: Both
execution: { prompt: "go, \${matrix.agent}", playbook: "\${matrix.agent}.yaml" }
---
test_id: words
execution: { prompt: "\${matrix.word}", agents: [pi] }
---
test_id: one
execution: { prompt: go, agent: qwen }
`,
  });
  const { fixtures: [fixture], lints } = await readFixtures(folder);
  t.match(fixture?.tests, [
    { id: "both[claude]", name: "Both [claude]", agent: "claude", prompt: "go, claude", sharedId: "both" },
    { id: "both[codex]", agent: "codex", playbook: { lanes: [{ turns: [{ text: "by codex" }] }] } },
    { id: "words[word=rose][pi]", agent: "pi", prompt: "rose" },
    { id: "words[word=moss][pi]", agent: "pi", prompt: "moss" },
    { id: "one", agent: "qwen", sharedId: undefined },
  ]);
  t.equal(fixture?.tests.length, 5);
  t.match(lints[0]?.message, /has 4 tests/, "a test on two agents is one to read");
});

t.test("agents that there are not, or named twice, are told where they stand", async (t) => {
  const folder = await placeOf(t, {
    ...manifest,
    "a/fixture.yaml": "name: a\nexecution: { agents: [claude, cladue] }\n",
    "b/fixture.yaml": "name: b\nexecution: { agent: gemni }\n",
    "c/fixture.yaml": "name: c\n",
    "c/test_one.yaml": "test_id: one\nexecution: { prompt: go, agents: [pi, pie] }\n",
    "c/test_two.yaml": "test_id: two\nexecution: { prompt: go, agents: [pi, pi] }\n",
    "c/test_three.yaml": "test_id: three\nexecution: { prompt: go, agent: codecs }\n",
    "c/test_four.yaml": "test_id: four\nexecution:\n  prompt: go\n  agent: pi\n  agents: [pi]\n",
    "d/fixture.yaml": "name: d\nmatrix: { agent: [pi] }\n",
    "d/test_five.yaml": "test_id: five\nexecution: { prompt: go, agents: [pi] }\n",
  });
  const found = await problemsOf(folder);
  for (
    const wanted of [
      /^a\/fixture\.yaml:2:31 execution\.agents\[1\]: unknown agent "cladue" \(did you mean "claude"\?\)/,
      /^b\/fixture\.yaml:2:21 execution\.agent: unknown agent "gemni" \(did you mean "gemini"\?\)/,
      /^c\/test_one\.yaml:2:39 execution\.agents\[1\]: unknown agent "pie" \(did you mean "pi"\?\)/,
      /^c\/test_two\.yaml:2:34 execution\.agents: expected each agent once/,
      /^c\/test_three\.yaml:2:33 execution\.agent: unknown agent "codecs" \(did you mean "codex"\?\)/,
      /^c\/test_four\.yaml:5:11 execution\.agents: expected agent or agents, not both/,
      /^d\/test_five\.yaml:2:34 the matrix names agents, too/,
    ]
  ) t.ok(found.some((line) => wanted.test(line)), `${wanted} in\n${found.join("\n")}`);
});

t.test("what leads out of the root is not read, and programs are no playbooks", async (t) => {
  const outside = await placeOf(t, { "secret.yaml": "turns: [{ text: secret }]\n" });
  const folder = await placeOf(t, {
    ...manifest,
    "fixture.yaml": "name: a\n",
    "test_one.yaml": "test_id: one\nexecution: { prompt: go, playbook: link.yaml }\n",
    "test_two.yaml": "test_id: two\nexecution: { prompt: go, playbook: run.ts }\n",
    "run.ts": "throw new Error('it ran');\n",
  });
  await symlink(join(outside, "secret.yaml"), join(folder, "link.yaml"));
  const found = await problemsOf(folder);
  t.match(found, [
    /^test_one\.yaml:2:.*there is no playbook link\.yaml/,
    /^test_two\.yaml:2:.*run\.ts is a program/,
  ]);
  await t.rejects(readFixtures(join(folder, "nowhere")), { code: "TARGET_NOT_FOUND" });
});
