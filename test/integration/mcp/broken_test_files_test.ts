// test: timeout=120
/** Mistakes in a plugin's own test files: a session tells them and goes on with the others, a run stops. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import t from "tap";
import { pth as cli } from "../../support/pth.ts";
import { makePlace } from "../../support/pth_run.ts";
import { openSessionClient } from "../../support/session_client.ts";
import { adderServer } from "../../support/small_server.ts";

const test = (name: string, more = "") => `name: ${name}\ntool: add\ninput: {a: 2, b: 3}\n${more}`;

const files = {
  "package.json": '{"name":"adder","version":"1.0.0","type":"module"}\n',
  ".mcp.json": '{"mcpServers":{"adder":{"command":"node","args":["server.mjs"]}}}\n',
  "server.mjs": adderServer,
  "add.mjs": "export const add = ({ a, b }) => a + b;\n",
  ".pth/tests/a_good.yaml": test("good", 'expect: {output_equals: "5"}\n'),
  ".pth/tests/b_mixed.yaml": `${test("beside a mistake")}---\n${test("mistyped", "expct: {}\n")}`,
  ".pth/tests/c_bomb.yaml": `name: deep\ntool: add\ninput: {a: ${"[".repeat(100_000)}\n`,
  ".pth/tests/d_scenario.yaml":
    "name: scenario\nsteps:\n  - tool: add\n    input: {a: $sum, b: 1}\n    capture: {sum: $.text}\n",
  ".pth/tests/e_twice.yaml": test("good"),
};

async function write(folder: string): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

const mistakes = [
  /b_mixed\.yaml:8:1 unknown key "expct" \(did you mean "expect"\?\)/,
  /c_bomb\.yaml:3:111 expected at most 100 nested levels/,
  /d_scenario\.yaml:4:16 steps\[0\]\.input\.a: recursive capture: \$sum is what this step itself captures/,
  /e_twice\.yaml:1:7 name: "good" is the name of another test: [^\n]*a_good\.yaml:1:7/,
];

t.test("a session loads the good tests, tells the mistakes, and reads corrected files at the next load", async (t) => {
  const pth = await openSessionClient(t);
  const folder = join(pth.folder, "adder");
  await write(folder);
  const started = await pth.succeed(t, "pth_start_session", { pluginPath: folder });
  const { source } = started.data["session"] as { source: { worktree: string } };
  await pth.succeed(t, "pth_provision_environment", { runtime: "host" });
  await pth.succeed(t, "pth_load_plugin");
  const listed = await pth.succeed(t, "pth_list_tests");
  t.match(
    listed.text,
    /^2 tests: 2 from manual\n- good [^\n]*\n- beside-a-mistake [^\n]*\nNot loaded, 4 mistakes in test files:\n/,
  );
  for (const mistake of mistakes) t.match(listed.text, mistake);
  t.match(listed.data, { total: 2, problems: [{ line: 8 }, {}, {}, {}] });
  t.match(await pth.succeed(t, "pth_run_test_suite"), { data: { summary: { passed: 2, failed: 0 } } });
  const scenario =
    "name: scenario\nsteps:\n  - tool: add\n    input: {a: 1, b: 1}\n    capture: {sum: $.output}\n" +
    '  - tool: add\n    input: {a: $sum, b: 1}\n    expect: {output_equals: "3"}\n';
  await writeFile(join(source.worktree, ".pth/tests/d_scenario.yaml"), scenario);
  await pth.succeed(t, "pth_load_plugin");
  t.match(await pth.succeed(t, "pth_list_tests"), { data: { total: 3, problems: [{}, {}, {}] } });
  t.match(await pth.succeed(t, "pth_run_test_suite"), { data: { summary: { passed: 3, failed: 0 } } });
});

t.test("a run stops with all mistakes and exit 2, whether the files are the plugin's own or named", async (t) => {
  const place = await makePlace(t);
  const folder = join(place.folder, "adder");
  await write(folder);
  for (const more of [[], ["--tests", join(folder, ".pth/tests")]]) {
    const { code, stdout, stderr } = await cli(["run", folder, "--env", "host", ...more], { env: place.env });
    t.equal(code, 2, stdout + stderr);
    for (const mistake of mistakes) t.match(stderr, mistake);
    t.notMatch(stdout, "provision", "before anything is set up");
  }
});
