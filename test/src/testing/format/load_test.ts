import { basename, join } from "node:path";
import t from "tap";
import { PthError } from "../../../../src/core/errors.ts";
import { makeTempDir, mkdir, removeIfExists, writeTextFile } from "../../../../src/platform/files.ts";
import { loadTests, loadWithProblems } from "../../../../src/testing/format/load.ts";

const folder = await makeTempDir({ prefix: "pth-load-" });
t.teardown(() => removeIfExists(folder));

async function write(files: Record<string, string>): Promise<string> {
  const root = join(folder, crypto.randomUUID());
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(root, name, ".."), { recursive: true });
    await writeTextFile(join(root, name), text);
  }
  return root;
}

t.test("a folder is read whole, in the order of its paths", async (t) => {
  const root = await write({
    "b.yml": "name: b\ntool: x\n",
    "a.yaml": "name: a\ntool: x\n",
    "sub/c.json": '{ "name": "c", "tool": "x" }',
    "README.md": "name: no test",
    ".hidden.yaml": "nonsense",
  });
  t.same((await loadTests(root)).map(({ name }) => name), ["a", "b", "c"]);
  t.same((await loadTests(join(root, "b.yml"))).map(({ file, line }) => [file, line]), [[
    join(root, "b.yml"),
    1,
  ]]);
});

t.test("ids are unique over files", async (t) => {
  const root = await write({ "a.yaml": "name: same\ntool: x\n", "b.yaml": "name: Same!\ntool: x\n" });
  t.same((await loadTests(root)).map(({ id }) => id), ["same", "same-2"]);
  const names = ["a", "a", "a-2", "a", "A 2", "b", "b"];
  const proposed = await write({
    "a.yaml": names.map((name) => `name: ${name}\ntool: x\ngenerated_from: schema\n`).join("---\n"),
  });
  const ids = ["a", "a-3", "a-2", "a-4", "a-2-2", "b", "b-2"];
  t.same((await loadTests(proposed)).map(({ id }) => id), ids, "and each number is used once");
});

t.test("problems of all files come at once", async (t) => {
  const root = await write({
    "a.yaml": "name: a\n",
    "b.yaml": "name: b\ntol: x\n",
    "c.yaml": "name: c\ntool: x\n",
  });
  const error = await loadTests(root).catch((reason) => reason as PthError) as PthError;
  t.equal(error.exitCode, 2);
  t.match(error.message, `${join(root, "a.yaml")}:1:1`);
  t.match(error.message, `${join(root, "b.yaml")}:2:1`);
  t.notMatch(error.message, "c.yaml");
});

t.test("an empty folder has no tests, a missing one is an error", async (t) => {
  await mkdir(join(folder, "empty"));
  t.same(await loadTests(join(folder, "empty")), []);
  await t.rejects(loadTests(join(folder, "missing")), { code: "TARGET_NOT_FOUND" });
});

t.test("a file with a mistake costs neither the others nor its own good tests", async (t) => {
  const root = await write({
    "a.yaml": "name: a\ntool: x\n---\nname: broken\ntol: x\n",
    "b.yaml": "name: [\n",
    "c.json": '{ "name": "c", "tool": "x" }',
  });
  const { tests, problems } = await loadWithProblems(root);
  t.same(tests.map(({ name }) => name), ["a", "c"]);
  t.same([...new Set(problems.map(({ file }) => file))], [join(root, "a.yaml"), join(root, "b.yaml")]);
  t.match(problems[0], { line: 5, column: 1 });
});

t.test("files of a copy are named as those that were copied", async (t) => {
  const root = await write({ "a.yaml": "name: a\ntool: x\n", "deep/b.yaml": "name: a\ntool: x\n" });
  const { tests, problems } = await loadWithProblems(root, "plugin/.pth/tests");
  t.match(tests, [{ name: "a", file: "plugin/.pth/tests/a.yaml" }]);
  t.match(problems, [{
    file: "plugin/.pth/tests/deep/b.yaml",
    message: 'name: "a" is the name of another test: plugin/.pth/tests/a.yaml:1:7',
  }]);
});

t.test("two tests by hand of one name are refused, with both places", async (t) => {
  const root = await write({
    "a.yaml": "name: other\ntool: x\n---\ntool: x\nname: same\n",
    "b.yaml": "- name: same\n  tool: y\n",
  });
  const { tests, problems } = await loadWithProblems(root);
  t.same(tests.map(({ name }) => name), ["other", "same"]);
  t.same(problems, [{
    file: join(root, "b.yaml"),
    line: 1,
    column: 9,
    message: `name: "same" is the name of another test: ${join(root, "a.yaml")}:5:7`,
  }]);
});

t.test("what PTH proposed is no duplicate of the author's test", async (t) => {
  const root = await write({
    ".pth/tests/a.yaml": "name: same\ntool: x\n",
    ".pth/tests/generated/a.yaml": "name: same\ntool: x\n",
    ".pth/tests/b.yaml": "name: same\ntool: x\ngenerated_from: schema\n",
  });
  t.same((await loadTests(root)).map(({ id }) => id), ["same", "same-2", "same-3"]);
});

t.test("files made to fill the memory are refused at once, the others are read", async (t) => {
  const bomb = Array.from({ length: 9 }, (_, n) => `l${n}: &l${n} [${Array(9).fill(n ? `*l${n - 1}` : 1)}]`);
  const root = await write({
    "aliases.yaml": bomb.join("\n"),
    "brackets.yaml": `name: x\ninput: ${"[".repeat(3_000_000)}`,
    "indicators.yaml": "- ".repeat(20_000),
    "indented.yaml": Array.from({ length: 300 }, (_, n) => `${" ".repeat(n)}a:`).join("\n"),
    "commas.yaml": `[${",".repeat(3_000_000)}`,
    "endless.yaml": "name: x\ninput: &a { a: *a }\n",
    "huge.yaml": `name: ${"x".repeat(5_000_000)}\n`,
    "giant.yaml": "x".repeat(17_000_000),
    "good.yaml": `name: good\ntool: x\ninput: { text: "${"[".repeat(500)}" }\n`,
  });
  const before = performance.now();
  const { tests, problems } = await loadWithProblems(root);
  t.ok(performance.now() - before < 60_000, "in bounded time");
  t.same(tests.map(({ name }) => name), ["good"]);
  t.same(
    problems.map(({ file, line, column, message }) => `${basename(file)}:${line}:${column} ${message}`),
    [
      "aliases.yaml:6:9 expected at most 200000 values, each alias counted as all that it stands for; this comes to more",
      "brackets.yaml:2:108 expected at most 100 nested levels",
      "commas.yaml:1:500000 expected a smaller file: split it here",
      "endless.yaml:2:16 an alias stands within what it names: this would never end",
      "giant.yaml:1:1 expected a file of at most 16000000 bytes, this has 17000000",
      "huge.yaml:1:1 expected a file of at most 4 million characters, this has 5000007",
      "indented.yaml:101:101 expected at most 100 nested levels",
      "indicators.yaml:1:201 expected at most 100 nested levels",
    ],
  );
});
