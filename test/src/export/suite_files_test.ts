import t from "tap";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { suiteFiles } from "../../../src/export/suite_files.ts";
import { parseTests } from "../../../src/testing/format/parse.ts";

const test = (facts: Partial<TestCase>): TestCase => ({
  id: "x",
  name: "a test",
  tier: 1,
  expect: { well_behaved: true },
  verify: [],
  setup: [],
  teardown: [],
  tags: ["generated"],
  generatedFrom: "schema",
  ...facts,
});

t.test("one file per tool, which reads back as the same tests", (t) => {
  const files = suiteFiles([
    test({ tool: "b", name: "second", input: { x: 1 } }),
    test({ tool: "a", name: "first", input: {} }),
    test({ check: "ends_on_eof", name: "ends", expect: {} }),
  ], "/p");
  t.same(
    files.map(({ path }) => path),
    ["server", "tool-a", "tool-b"].map((name) => `.pth/tests/generated/${name}.yaml`),
  );
  t.match(parseTests("b.yaml", files[2]!.text), [{ name: "second", tool: "b", input: { x: 1 } }]);
  t.end();
});

t.test("files of the author stay as they are; those that PTH wrote are written again", (t) => {
  const files = suiteFiles([
    test({ tool: "a", file: "/p/.pth/tests/mine.yaml" }),
    test({ tool: "b", file: "/p/.pth/tests/generated/tool-b.yaml" }),
    test({ tool: "c", file: "/elsewhere/c.yaml" }),
  ], "/p");
  t.same(files.map(({ path }) => path), [
    ".pth/tests/generated/tool-b.yaml",
    ".pth/tests/generated/tool-c.yaml",
  ]);
  t.end();
});
