/** Adding to a test file leaves what it holds as it is. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { openSuite } from "../../../src/cli/open_suite.ts";
import { parseTests } from "../../../src/testing/format/parse.ts";

const folder = await mkdtemp(join(tmpdir(), "pth-suite-"));
t.teardown(() => rm(folder, { recursive: true }));

const added = "name: added\ntool: echo\n";

for (
  const [what, text] of [
    ["nothing", ""],
    ["one test with remarks", "# mine\nname: one # why\ntool: echo\n"],
    ["no line feed at the end", "name: one\ntool: echo"],
    ["a list", "- name: one\n  tool: echo\n- { name: two, tool: echo }\n"],
    ["several documents", "---\nname: one\ntool: echo\n---\nname: two\ntool: echo\n"],
  ] as const
) {
  t.test(`a file with ${what} keeps it`, async (t) => {
    const file = join(folder, `${what.replaceAll(" ", "-")}.yaml`);
    await writeFile(file, text);
    const suite = await openSuite(file);
    await suite.add(added);
    const whole = await readFile(file, "utf8");
    t.ok(whole.startsWith(text));
    t.equal(parseTests(file, whole).length, suite.tests.length + 1);
  });
}

t.test("a file with a mistake is not added to", async (t) => {
  const file = join(folder, "mistake.yaml");
  await writeFile(file, "name: one\ntoll: echo\n");
  await t.rejects(openSuite(file), { code: "INVALID_TEST_FILE" });
  t.equal(await readFile(file, "utf8"), "name: one\ntoll: echo\n");
});

t.test("in a folder of tests, those of all its files are known", async (t) => {
  const own = await mkdtemp(join(folder, "tests-"));
  await writeFile(join(own, "mine.yaml"), "name: mine\ntool: echo\n");
  const suite = await openSuite(join(own, "generated.yaml"));
  t.same(suite.tests.map(({ name }) => name), ["mine"]);
});
