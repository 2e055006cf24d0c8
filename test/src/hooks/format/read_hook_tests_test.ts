import { join } from "node:path";
import t, { type Test } from "tap";
import { readHookTests } from "../../../../src/hooks/format/read_hook_tests.ts";
import { mkdir, writeTextFile } from "../../../../src/platform/files.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";

/** A plugin with these files of tests. */
async function pluginWith(t: Test, files: Record<string, string>): Promise<string> {
  const folder = await temporaryFolder(t);
  for (const [path, text] of Object.entries({ "hooks/hooks.json": '{ "hooks": {} }', ...files })) {
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeTextFile(join(folder, path), text);
  }
  return folder;
}

const test = "tests:\n  - name: a\n    event: Stop\n    expect: { decision: none }\n";

t.test("tests are found below a folder, each with its plugin, and with payloads that are filled up", async (t) => {
  const folder = await pluginWith(t, {
    "tests/one.hooks.yaml": `tests:
  - name: a
    event: PreToolUse
    tool: Write
    input: { file_path: x }
    project: ../project
    expect: { decision: none }
`,
    "project/file": "",
    "node_modules/x/y.hooks.yaml": "no",
    "tests/other.yaml": "no",
  });
  const [one, ...others] = await readHookTests(folder);
  t.same(others, []);
  t.match(one, {
    name: "a",
    line: 2,
    plugin: /.+/,
    payload: {
      hook_event_name: "PreToolUse",
      tool_name: "Write",
      tool_input: { file_path: "x" },
      cwd: "${project}",
    },
    project: /project$/,
  });
  t.match(await readHookTests(join(folder, "tests/one.hooks.yaml")), [{ name: "a" }]);
});

t.test("all mistakes of all files are told at their places", async (t) => {
  const folder = await pluginWith(t, {
    "a.hooks.yaml": `tests:
  - name: a
    event: Stopp
    expect: {}
  - { name: b, event: Stop, project: ../.., files: { ../x: y }, expect: { stdout: { matches: "(" } } }
`,
    "b.hooks.yaml": `plugin: nobody
${test}`,
    "c.hooks.yaml":
      `${test}  - { name: a, event: Stop, project: none, payload: { hook_event_name: X }, expect: { ran: 1 } }
`,
    "d.hooks.yaml": "- x\n",
    "e.hooks.yaml": "tests: [\n",
  });
  await t.rejects(readHookTests(folder), {
    code: "INVALID_TEST_FILE",
    message: new RegExp([
      "a.hooks.yaml:3:12 tests\\[0\\].event: expected one of",
      "a.hooks.yaml:4:13 tests\\[0\\].expect: expected something",
      "a.hooks.yaml:5:\\d+ .*climb out",
      "a.hooks.yaml:5:\\d+ .*regular expression",
      "b.hooks.yaml:1:9 there is no plugin nobody",
      'c.hooks.yaml:5:13 another test is called "a"',
      "c.hooks.yaml:5:\\d+ there is no folder none",
      "c.hooks.yaml:5:\\d+ Cannot fire Stop: the payload is of the event X",
      "d.hooks.yaml:1:1",
      "e.hooks.yaml:",
    ].join("[^]*")),
  });
});

t.test("where there is no test that is told", async (t) => {
  const folder = await pluginWith(t, { "x.yaml": test });
  await t.rejects(readHookTests(folder), { code: "TARGET_NOT_FOUND", message: /no \*\.hooks\.yaml/ });
  await t.rejects(readHookTests(join(folder, "x.yaml")), { code: "TARGET_NOT_FOUND" });
  await t.rejects(readHookTests(join(folder, "none")), { code: "TARGET_NOT_FOUND" });
});
