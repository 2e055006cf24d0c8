// test: timeout=600
/** Follows "Where do I add" of docs/contributing.md in a copy of the repository, and forgets steps of it. */
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import { definitionKinds } from "../../../scripts/gen/definition_kinds.ts";
import { examplesOf } from "../../../scripts/gen/test_keywords.ts";
import { readTree } from "../../../scripts/checks/tree.ts";
import testedDefinitions from "../../../scripts/checks/tested_definitions.ts";
import { readTextFile } from "../../../src/platform/files.ts";
import { root as original } from "../../support/root.ts";
import { addedDefinitions } from "./added_definitions.ts";
import { copyCheckout } from "./checkout_copy.ts";

t.setTimeout(590_000);

const deno = (...args: string[]): string[] => [process.execPath, "run", "-A", ...args];
const gen = deno("scripts/gen.ts");

t.test("the table names the place of each definition and of its test", async (t) => {
  const page = await readTextFile(join(original, "docs/contributing.md"));
  for (const { what, file, test } of addedDefinitions) {
    const kind = definitionKinds.find((one) => one.what === what)!;
    const [, name] = /\/(\w+)\.ts$/.exec(file)!;
    const category = kind.inCategories ? `/${file.split("/").at(-2)}` : "";
    t.equal(file, `${kind.folder}${category}/${name}.ts`);
    t.equal(test, kind.test.replace("<name>", name!).replace("/<category>", category));
    t.match(page, kind.test);
    t.match(page, `${kind.folder}/`);
  }
});

t.test("five definitions are added by one file each and its test, and gen", async (t) => {
  const copy = await copyCheckout(t, original);
  await t.test("gen names each definition that it cannot use, and what to change", async (t) => {
    const folder = "src/testing/reporters";
    const define = 'import { defineReporter } from "../reporter.ts";\n\nexport default defineReporter(';
    const members = 'writes: "whole", create: () => ({})';
    await copy.write(`${folder}/unimported.ts`, 'export default defineReporter("bad");\n');
    await copy.write(`${folder}/silent.ts`, `${define}{ name: "silent", summary: "", ${members} });\n`);
    await copy.write(`${folder}/bad.ts`, `${define}{ name: "good", summary: "s", ${members} });\n`);
    const { code, text } = await copy.run(gen);
    t.equal(code, 1);
    t.match(text, `${folder}/unimported.ts: defineReporter is not defined`);
    t.match(
      text,
      `${folder}/silent.ts: a reporter needs the text \`summary\`: add it to defineReporter({ … })`,
    );
    t.match(text, `${folder}/bad.ts: its name is "good"; name the file good.ts, or give it the name "bad"`);
    t.notMatch(text, /^\s+at /m, "no stack");
    await copy.run(["git", "clean", "--quiet", "--force", folder]);
  });

  for (const { file, texts } of addedDefinitions) await copy.write(file, texts.definition);
  await t.test("gen names an example that is missing", async (t) => {
    const { code, text } = await copy.run(gen);
    t.equal(code, 1);
    t.match(text, "test/examples/expect.output_shorter_than.yaml: is missing; write a test that uses");
    t.notMatch(text, /^\s+at /m, "no stack");
  });
  await t.test("ok names each test that is missing", async (t) => {
    const problems = await testedDefinitions.run(await readTree(copy.root));
    t.equal(problems.length, addedDefinitions.length);
    for (const { file, test } of addedDefinitions) {
      t.ok(problems.some((problem) => problem.startsWith(`${file}: has no test; write ${test}`)), file, {
        problems,
      });
    }
  });

  for (const { test, texts } of addedDefinitions) await copy.write(test, texts.test);
  await t.test("one run of gen is enough", async (t) => {
    t.match(await copy.run(gen), { code: 0 });
    t.match(await copy.run(gen), { code: 0, text: /^$/ }, "a second run has nothing to write");
    const { text } = await copy.run(["git", "diff", "--numstat", "--", "*_registry.ts"]);
    const changed = text.trim().split("\n");
    t.equal(changed.length, addedDefinitions.length);
    for (const line of changed) t.match(line, /^2\t0\t/, "two lines are added, and none is changed");
    const shown = {
      "README.md": "| `nice`",
      "docs/tools.md": "### `pth_count_tests`",
      "docs/reports.md": "| `dots`",
      "docs/contract.md": "| `shouting-name`",
      "docs/test-format.md": "| `output_shorter_than`",
      "docs/test-reference.md": "### `output_shorter_than`",
      "docs/test.schema.json": '"output_shorter_than"',
    };
    for (const [page, words] of Object.entries(shown)) {
      t.match(await readTextFile(join(copy.root, page)), words, page);
    }
  });
  await t.test("ok finds nothing", async (t) => {
    const { code, text } = await copy.run(deno("scripts/ok.ts"));
    t.equal(code === 0 ? "" : text, "");
  });
  await t.test("the new tests pass", async (t) => {
    const tests = addedDefinitions.map(({ test }) => test).filter((path) => path.endsWith(".ts"));
    const { code, text } = await copy.run(deno("scripts/test.ts", "--on", "deno", "--jobs", "2", ...tests));
    t.equal(code === 0 ? "" : text, "");
    for (const path of tests) t.match(text, `ok   deno ${path}`);
    const help = await copy.run(deno("src/cli.ts", "run", "--help"));
    t.match(help.text, "nice");
    t.match(help.text, "dots");
  });
  await t.test("the new example is what it says", async (t) => {
    const [first, other] = await examplesOf(copy.root, "expect.output_shorter_than");
    await copy.write(".build/examples/1.yaml", first.yaml);
    await copy.write(".build/examples/2.yaml", other.yaml);
    const command = `node '${join(copy.root, "test/fixtures/notes_server/server.mjs")}'`;
    const server = ["--env", "host", "--command", command];
    const asked = ["--tests", ".build/examples", "--reporter", "tap"];
    const { code, text } = await copy.run([
      "env",
      `PTH_HOME=${join(copy.root, ".build/home")}`,
      ...deno("src/cli.ts", "run", ...server, ...asked),
    ]);
    t.equal(code, 1);
    t.match(text, /^ok 1 - output_shorter_than: holds$/m);
    t.match(text, /^not ok 2 - output_shorter_than: does not hold$/m);
    t.match(text, other.message);
  });
});

t.test("branches that add a tool each are merged without a conflict", async (t) => {
  const copy = await copyCheckout(t, original);
  const [tool] = addedDefinitions;
  const git = (...args: string[]) =>
    copy.run(["git", "-c", "user.name=Somebody", "-c", "user.email=somebody@example.com", ...args]);
  for (const name of ["count_tests", "count_results"]) {
    t.match(await git("switch", "--quiet", "--create", name, "main"), { code: 0 });
    await copy.write(tool!.file.replace("count_tests", name), tool!.texts.definition);
    t.match(await copy.run(gen), { code: 0 });
    await copy.commit(name);
  }
  t.match(await git("merge", "--quiet", "--no-edit", "count_tests"), { code: 0 });
  t.match(await copy.run(gen), { code: 0 });
  const list = await readTextFile(join(copy.root, "src/server/tool_list.json"));
  t.match(JSON.parse(list).length, 2 + (await toolsOf(original)));
  const registry = await readTextFile(join(copy.root, "src/tools/_registry.ts"));
  t.match(registry, /import countResults [^\n]*\nimport countTests /);
});

const toolsOf = async (root: string): Promise<number> =>
  (JSON.parse(await readTextFile(join(root, "src/server/tool_list.json"))) as unknown[]).length;
