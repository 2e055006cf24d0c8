/** Tests of a session: created, edited, generated, on real files and without any environment. */
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import type { TestResult } from "../../../machines/model/test_result.ts";
import { generateCommand } from "../../../src/app/generate_command.ts";
import { testCommands } from "../../../src/app/test_commands.ts";
import type { SessionContext } from "../../../src/app/session_context.ts";
import { parseTests } from "../../../src/testing/parse.ts";
import { liveSession } from "../actors/live.ts";

interface Test {
  teardown(clean: () => unknown): void;
}

async function session(t: Test) {
  const worktree = await mkdtemp(join(tmpdir(), "pth-tests-"));
  t.teardown(() => rm(worktree, { recursive: true }));
  const { live } = liveSession();
  live.source = { sessionId: "s1", name: "p", source: "/p", worktree, subfolder: "", notes: [] };
  const inputSchema = { type: "object", properties: { text: { type: "string" } } };
  live.tools = ["add", "echo"].map((name) => ({ name, description: name, inputSchema }));
  const context: SessionContext = {
    live,
    actor: undefined as never,
    on: () => () => {},
    plugin: undefined,
    tests: [],
    results: new Map(),
    findings: [],
    examples: new Map(),
    workflows: new Map(),
  };
  return { worktree, context, commands: { ...testCommands(context), ...generateCommand(context) } };
}

const yaml = (name: string, extra = "") => `name: ${name}\ntool: echo\n${extra}`;

t.test("no test is written through a link that the plugin has put in place of its test folder", async (t) => {
  const { worktree, commands } = await session(t);
  const elsewhere = await mkdtemp(join(tmpdir(), "pth-elsewhere-"));
  t.teardown(() => rm(elsewhere, { recursive: true }));
  await mkdir(join(worktree, ".pth"));
  await symlink(elsewhere, join(worktree, ".pth/tests"));
  await t.rejects(commands.createTest(yaml("one")), { code: "INVALID_INPUT", message: /a link there/ });
  t.same(await readdir(elsewhere), []);
});

t.test("tests of one file can be edited one after the other", async (t) => {
  const { worktree, commands } = await session(t);
  const file = join(worktree, "all.yaml");
  await writeFile(file, ["one", "two", "three"].map((name) => yaml(name, "# a remark\n\n")).join("---\n"));
  await commands.useTests(file);
  await commands.editTest("one", yaml("one", "description: first\ntags: [a, b, c]\n"));
  const second = await commands.editTest("two", yaml("two", "description: second\n"));
  await commands.editTest("three", yaml("number three"));
  const written = parseTests(file, await readFile(file, "utf8"));
  t.match(written, [
    { name: "one", description: "first" },
    { name: "two", description: "second" },
    { name: "number three" },
  ]);
  t.equal(second.file, file);
  t.same(
    commands.tests().map(({ name, line }) => ({ name, line })),
    written.map(({ name, line }) => ({ name, line })),
    "each knows its place",
  );
});

t.test("a file that was changed meanwhile is not overwritten", async (t) => {
  const { worktree, commands } = await session(t);
  const file = join(worktree, "all.yaml");
  await writeFile(file, `${yaml("one")}---\n${yaml("two")}`);
  await commands.useTests(file);
  const changed = `# by hand\n${yaml("one")}---\n${yaml("two")}`;
  await writeFile(file, changed);
  await t.rejects(commands.editTest("two", yaml("two", "description: second\n")), {
    code: "INVALID_TEST_FILE",
    message: /was changed since it was read/,
  });
  t.equal(await readFile(file, "utf8"), changed);
});

t.test("a created test keeps the author's words in a file of its own, also once edited", async (t) => {
  const { worktree, commands } = await session(t);
  const made = await commands.createTest(`# why\n${yaml("one")}`);
  t.equal(made.file, join(worktree, ".pth/tests/one.yaml"));
  await t.rejects(commands.createTest(yaml("one")), {
    code: "INVALID_TEST_FILE",
    message: /"one" is the name of another test/,
  });
  await commands.createTest(yaml("One!"));
  const edited = await commands.editTest(made.id, `# because\n${yaml("one")}`);
  t.equal(edited.file, made.file);
  t.match(await readFile(made.file!, "utf8"), /^# because\n/);
  t.same(commands.tests().map(({ id }) => id), ["one", "one-2"]);
  await t.rejects(commands.editTest("one-2", yaml("one")), { message: /"one" is the name of another test/ });
});

t.test("generating again replaces generated tests of the tools asked for, and nothing else", async (t) => {
  const { context, commands } = await session(t);
  await commands.createTest(yaml("by hand"));
  const all = await commands.generateTests({});
  t.ok(all.tests.every(({ id, generatedFrom }) => id !== "" && generatedFrom === "schema"));
  const before = commands.tests().map(({ id }) => id).sort();
  const again = await commands.generateTests({ tools: ["add"] });
  t.ok(again.tests.length > 0 && again.tests.every(({ tool }) => tool === "add"));
  t.same(commands.tests().map(({ id }) => id).sort(), before);
  t.equal(context.tests[0]!.name, "by hand");
});

t.test("a result goes with its test", async (t) => {
  const { worktree, context, commands } = await session(t);
  await commands.createTest(yaml("by hand"));
  const result = { status: "passed", findings: [] } as unknown as TestResult;
  context.results.set("by-hand", result);
  await commands.generateTests({});
  t.equal(commands.report().results.length, 1, "the test is still there");
  await writeFile(join(worktree, "other.yaml"), yaml("other"));
  await commands.useTests(join(worktree, "other.yaml"));
  t.equal(commands.report().results.length, 0);
});
