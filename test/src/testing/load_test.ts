import { join } from "node:path";
import t from "tap";
import { PthError } from "../../../src/errors.ts";
import { makeTempDir, mkdir, removeIfExists, writeTextFile } from "../../../src/platform/files.ts";
import { loadTests } from "../../../src/testing/load.ts";

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
  const root = await write({ "a.yaml": "name: same\ntool: x\n", "b.yaml": "name: same\ntool: x\n" });
  t.same((await loadTests(root)).map(({ id }) => id), ["same", "same-2"]);
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
