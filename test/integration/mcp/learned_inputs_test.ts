/** Inputs that a client supplies are tried, kept and tested; so are those that PTH finds (docs/learning.md). */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { fixture } from "../../support/root.ts";
import { openSessionClient } from "../../support/session_client.ts";

t.setTimeout(300_000);
const { call, succeed, begin } = await openSessionClient(t);

const fileOf = (name: string) => readFile(join(fixture("chained_plugin"), name), "utf8");
const files = Object.fromEntries(
  await Promise.all(
    ["package.json", "server.mjs", "workshop.mjs"].map(async (name) => [name, await fileOf(name)]),
  ),
);
const setup = [{ tool: "create_project", input: { name: "p" }, capture: { pid: "/Project ID: ([\\w-]+)/" } }];

t.test("what a run did not exercise is told; inputs that work are kept in the worktree and tested", async (t) => {
  if (!await begin(t, files, "sandbox")) await begin(t, files, "host");
  const first = await succeed(t, "pth_generate_tests", { from: ["schema"] });
  t.same(first.data.notExercised, [], "nothing has run");
  await succeed(t, "pth_run_test_suite", { generatedFrom: "schema" });
  const second = await succeed(t, "pth_generate_tests", { from: ["schema"] });
  t.match(second.text, /Not exercised by the last run/);
  t.match(second.text, "- add_task: refused, needs a fixture: No project with id");

  const given = await succeed(t, "pth_generate_tests", {
    inputs: [
      { tool: "add_task", input: { project_id: "$pid", title: "t" }, setup },
      { tool: "get_task", input: { id: 5 } },
    ],
  });
  t.match(given.text, /1 input accepted: add_task; kept in .*learned\.yaml/);
  t.match(given.text, '- get_task refuses {"id":5}: Task 5 does not exist');
  const { file } = given.data.learned as { file: string };
  t.match(await readFile(file, "utf8"), /- tool: add_task\n {2}setup:\n {4}- tool: create_project/);

  const wrong = await call("pth_generate_tests", {
    inputs: [{ tool: "get_task", input: { id: "$nothing" } }],
  });
  t.match(wrong.text, "input.id: unknown variable $nothing");

  // A person's words stay, whatever is added.
  await writeFile(file, `# mine\n${await readFile(file, "utf8")}`);
  const found = await succeed(t, "pth_generate_tests", {
    from: ["learned"],
    tools: ["get_task"],
    learn: true,
  });
  t.match(found.text, /1 input accepted: get_task/);
  t.match(await readFile(file, "utf8"), /^# mine\n[^]*- tool: add_task[^]*- tool: get_task/);

  const tools = ["create_project", "add_task", "get_task"];
  const fuzzed = await succeed(t, "pth_fuzz_tools", { tools, runs: 3, seed: 1 });
  t.match(fuzzed.data.tools, [{}, { tool: "add_task", accepted: 1 }, { tool: "get_task", accepted: 1 }]);

  const ran = await succeed(t, "pth_run_test_suite", { generatedFrom: "learned" });
  t.match(ran.data, { summary: { passed: 2, failed: 0, skipped: 0 } });
  t.match(ran.text, "3 of 11 tools exercised");

  await writeFile(file, "- tool: add_task\n  inputt: {}\n");
  const bad = await succeed(t, "pth_generate_tests", { from: ["learned"] });
  t.match(bad.text, /1 mistake in \.pth\/learned\.yaml[^]*learned\.yaml:2:3 unknown key "inputt"/);
  await succeed(t, "pth_end_session");
});
