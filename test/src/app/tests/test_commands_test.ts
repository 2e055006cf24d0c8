/** Tests of a session: created, edited, generated, on real files and without any environment. */
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import t from "tap";
import { createActor } from "xstate";
import { sessionMachine } from "../../../../machines/session_machine.ts";
import type { TestResult } from "../../../../machines/model/test_result.ts";
import { rereadTests } from "../../../../src/app/tests/reread_tests.ts";
import { generateCommand } from "../../../../src/app/tests/generate_command.ts";
import { testCommands } from "../../../../src/app/tests/test_commands.ts";
import { type SessionParts, testStores } from "../../../../src/app/session/session_parts.ts";
import { parseTests } from "../../../../src/testing/format/parse.ts";
import { liveSession } from "../../actors/live.ts";

interface Test {
  teardown(clean: () => unknown): void;
}

async function session(t: Test) {
  const worktree = await mkdtemp(join(tmpdir(), "pth-tests-"));
  t.teardown(() => rm(worktree, { recursive: true }));
  const { live } = liveSession();
  live.code.source = { sessionId: "s1", name: "p", source: "/p", worktree, subfolder: "", notes: [] };
  const inputSchema = { type: "object", properties: { text: { type: "string" } } };
  live.plugin.tools = ["add", "echo"].map((name) => ({ name, description: name, inputSchema }));
  const context: SessionParts = {
    live,
    actor: createActor(sessionMachine, {
      input: { sessionId: "s1", target: {}, mode: "session", force: false },
    }),
    on: () => () => {},
    callers: new Map(),
    ...testStores(),
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
  await t.rejects(commands.create(yaml("one")), {
    code: "INVALID_INPUT",
    message: /tests is a symbolic link/,
  });
  t.same(await readdir(elsewhere), []);
});

t.test("tests of one file can be edited one after the other", async (t) => {
  const { worktree, commands } = await session(t);
  const file = join(worktree, "all.yaml");
  await writeFile(file, ["one", "two", "three"].map((name) => yaml(name, "# a remark\n\n")).join("---\n"));
  await commands.use(file);
  await commands.edit("one", yaml("one", "description: first\ntags: [a, b, c]\n"));
  const second = await commands.edit("two", yaml("two", "description: second\n"));
  await commands.edit("three", yaml("number three"));
  const written = parseTests(file, await readFile(file, "utf8"));
  t.match(written, [
    { name: "one", description: "first" },
    { name: "two", description: "second" },
    { name: "number three" },
  ]);
  t.equal(second.file, file);
  t.same(
    commands.list().map(({ name, line }) => ({ name, line })),
    written.map(({ name, line }) => ({ name, line })),
    "each knows its place",
  );
});

t.test("a file that was changed meanwhile is not overwritten", async (t) => {
  const { worktree, commands } = await session(t);
  const file = join(worktree, "all.yaml");
  await writeFile(file, `${yaml("one")}---\n${yaml("two")}`);
  await commands.use(file);
  const changed = `# by hand\n${yaml("one")}---\n${yaml("two")}`;
  await writeFile(file, changed);
  await t.rejects(commands.edit("two", yaml("two", "description: second\n")), {
    code: "INVALID_TEST_FILE",
    message: /was changed since it was read/,
  });
  t.equal(await readFile(file, "utf8"), changed);
});

t.test("a created test keeps the author's words in a file of its own, also once edited", async (t) => {
  const { worktree, commands } = await session(t);
  const made = await commands.create(`# why\n${yaml("one")}`);
  t.equal(made.file, join(worktree, ".pth/tests/one.yaml"));
  await t.rejects(commands.create(yaml("one")), {
    code: "INVALID_TEST_FILE",
    message: /"one" is the name of another test/,
  });
  await commands.create(yaml("One!"));
  const edited = await commands.edit(made.id, `# because\n${yaml("one")}`);
  t.equal(edited.file, made.file);
  t.match(await readFile(made.file!, "utf8"), /^# because\n/);
  t.same(commands.list().map(({ id }) => id), ["one", "one-2"]);
  await t.rejects(commands.edit("one-2", yaml("one")), {
    message: /"one" is the name of another test/,
  });
});

t.test("generating again replaces generated tests of the tools asked for, and nothing else", async (t) => {
  const { context, commands } = await session(t);
  await commands.create(yaml("by hand"));
  const all = await commands.generate({});
  t.ok(all.tests.every(({ id, generatedFrom }) => id !== "" && generatedFrom === "schema"));
  const before = commands.list().map(({ id }) => id).sort();
  const again = await commands.generate({ tools: ["add"] });
  t.ok(again.tests.length > 0 && again.tests.every(({ tool }) => tool === "add"));
  t.same(commands.list().map(({ id }) => id).sort(), before);
  t.equal(context.tests.all[0]!.name, "by hand");
});

t.test("a result goes with its test", async (t) => {
  const { worktree, context, commands } = await session(t);
  await commands.create(yaml("by hand"));
  const result = { status: "passed", findings: [] } as unknown as TestResult;
  context.results.latest.set("by-hand", result);
  await commands.generate({});
  t.equal(commands.report().results.length, 1, "the test is still there");
  await writeFile(join(worktree, "other.yaml"), yaml("other"));
  await commands.use(join(worktree, "other.yaml"));
  t.equal(commands.report().results.length, 0);
});

t.test("a test is deleted with its file, or out of it", async (t) => {
  const { worktree, commands } = await session(t);
  const file = join(worktree, "all.yaml");
  await writeFile(file, ["one", "two", "three"].map((name) => yaml(name)).join("---\n"));
  await commands.use(file);
  const { yaml: text, ...deleted } = await commands.delete("two");
  t.match(deleted, { test: { name: "two" }, file: "kept", others: 2 });
  t.match(parseTests("again", text), [{ name: "two", tool: "echo" }]);
  const written = parseTests(file, await readFile(file, "utf8"));
  t.same(written.map(({ name }) => name), ["one", "three"]);
  t.same(
    commands.list().map(({ name, line }) => ({ name, line })),
    written.map(({ name, line }) => ({ name, line })),
    "each knows its place",
  );
  t.match(await commands.delete("three"), { file: "kept", others: 1 });
  const last = await commands.delete("one");
  t.match(last, { file: "removed", others: 0 });
  t.same(await readdir(worktree), []);
  t.same(commands.list(), []);
  await t.rejects(commands.delete("one"), { code: "NO_SUCH_TEST" });
});

t.test("the words of a file with one test come back as they were; a test in no file is only forgotten", async (t) => {
  const { commands, context } = await session(t);
  const text = `# why it is there\n${yaml("kept")}`;
  await commands.create(text);
  t.equal((await commands.delete("kept")).yaml, text);
  await commands.generate({});
  const count = commands.list().length;
  const [first] = commands.list();
  context.results.latest.set(first!.id, { id: first!.id } as TestResult);
  t.match(await commands.delete(first!.id), { file: "none" });
  t.equal(commands.list().length, count - 1);
  t.equal(context.results.latest.size, 0);
});

t.test("a test of a file that others have changed is not deleted, one of a file that is gone is", async (t) => {
  const { worktree, commands } = await session(t);
  const file = join(worktree, "all.yaml");
  await writeFile(file, `${yaml("one")}---\n${yaml("two")}`);
  await commands.use(file);
  await writeFile(file, `# by hand\n${yaml("one")}---\n${yaml("two")}`);
  await t.rejects(commands.delete("two"), {
    code: "INVALID_TEST_FILE",
    message: /^Cannot delete test two/,
  });
  t.match(await readFile(file, "utf8"), /by hand/);
  await rm(file);
  t.match(await commands.delete("two"), { file: "gone" });
  t.same(commands.list().map(({ name }) => name), ["one"]);
});

t.test("before a run, tests are what their files hold then", async (t) => {
  const { worktree, commands, context } = await session(t);
  const files = ["a.yaml", "b.yaml", "c.yaml"].map((name) => join(worktree, name));
  const [a, b, c] = files as [string, string, string];
  await writeFile(a, `${yaml("one")}---\n${yaml("two")}`);
  await writeFile(b, yaml("three"));
  await writeFile(c, yaml("four"));
  await commands.use(worktree);
  for (const id of ["one", "two", "three", "four"]) context.results.latest.set(id, { id } as TestResult);
  t.same(await rereadTests(context), []);
  await writeFile(a, `${yaml("one", "tags: [changed]\n")}---\n${yaml("two")}---\n${yaml("five")}`);
  await rm(b);
  await writeFile(c, "name: four\ntol: echo\n");
  const notes = await rereadTests(context);
  t.match(notes, [
    /a\.yaml has changed: it was read again/,
    /b\.yaml is gone: 1 test of it does not run any more/,
    /c\.yaml has changed/,
    /not loaded: .*c\.yaml:2/,
  ]);
  t.match(commands.list(), [{ name: "one", tags: ["changed"] }, { name: "two" }, { name: "five" }]);
  t.match(commands.problems(), [{ file: c }]);
  t.same([...context.results.latest.keys()], ["two"], "results of what has changed say nothing of it");
  await writeFile(c, yaml("four"));
  t.match(await rereadTests(context), [/c\.yaml is new: 1 test/], "mended: it is back");
  t.same(commands.problems(), []);
  await writeFile(b, yaml("three"));
  t.match(await rereadTests(context), [/b\.yaml is new/], "as is one that was gone");
  t.same(commands.list().map(({ name }) => name), ["one", "two", "five", "four", "three"]);
  t.same(await rereadTests(context), []);
});

t.test("tests that were read are taken as they are, in place of the plugin's own, even none", async (t) => {
  const { worktree, commands, context } = await session(t);
  const file = join(worktree, ".pth/tests/one.yaml");
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, yaml("one"));
  const read = {
    tests: parseTests("elsewhere.yaml", yaml("two")),
    texts: new Map([["elsewhere.yaml", yaml("two")]]),
  };
  t.match(await commands.use(read), [{ name: "two", file: "elsewhere.yaml" }]);
  t.same([...context.tests.texts], [...read.texts]);
  await commands.use({ tests: [], texts: new Map() });
  await commands.discover();
  t.same(commands.list(), []);
});

t.test("discovery reads the plugin's tests, and keeps their texts for the look before a run", async (t) => {
  const { worktree, commands, context } = await session(t);
  const file = join(worktree, ".pth/tests/one.yaml");
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, yaml("one"));
  await commands.discover();
  t.match(commands.list(), [{ name: "one", file }]);
  t.same([...context.tests.texts], [[file, yaml("one")]]);
  t.same(await rereadTests(context), []);
});

t.test("a new file of the plugin's tests joins before a run, but not where others were asked for", async (t) => {
  const { worktree, commands, context } = await session(t);
  await commands.create(yaml("one"));
  await writeFile(join(worktree, ".pth/tests/two.yaml"), yaml("two"));
  t.match(await rereadTests(context), [/two\.yaml is new: 1 test of it run, too/]);
  t.same(commands.list().map(({ name }) => name), ["one", "two"]);
  const double = join(worktree, ".pth/tests/double.yaml");
  await writeFile(double, yaml("one"));
  t.match(await rereadTests(context), [/double\.yaml is new: 0 tests/, /"one" is the name of another test/]);
  t.match(commands.problems(), [{ file: double }]);
  t.same(await rereadTests(context), []);
  await rm(double);
  t.match(await rereadTests(context), [/double\.yaml is gone/]);
  t.same(commands.problems(), []);
  await writeFile(join(worktree, "own.yaml"), yaml("own"));
  await commands.use(join(worktree, "own.yaml"));
  t.same(await rereadTests(context), []);
  t.same(commands.list().map(({ name }) => name), ["own"]);
});
