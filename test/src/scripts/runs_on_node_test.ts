import t from "tap";
import { runsOnNode } from "../../../scripts/testing/runs_on_node.ts";
import { readDirectives } from "../../../scripts/testing/test_file.ts";

const plain = 'import t from "tap";\n';
const files = [
  ...["a", "b", "c", "d", "e"].map((name) => readDirectives(`test/src/core/${name}_test.ts`, plain)),
  readDirectives("test/src/core/process_test.ts", 'import { spawn } from "node:child_process";\n'),
  readDirectives("test/src/api/files_test.ts", 'import { exists } from "../../../src/platform/files.ts";\n'),
  ...["a", "b", "c", "d"].map((name) => readDirectives(`test/src/client/era/${name}_test.ts`, plain)),
  readDirectives("test/src/scripts/a_test.ts", plain),
  readDirectives("test/integration/cli/a_test.ts", plain),
];
const paths = (everything: boolean) =>
  runsOnNode(files, everything).map(({ path }) => path.replace("test/src/", ""));

t.test("Node runs what can differ there, and at least two of each folder", (t) => {
  t.same(paths(false), [
    "core/a_test.ts",
    "core/process_test.ts",
    "api/files_test.ts",
    ...["a", "b", "c", "d"].map((name) => `client/era/${name}_test.ts`),
  ]);
  t.end();
});

t.test("everything is every unit test, but for those of the scripts, which use Deno", (t) => {
  t.equal(paths(true).length, 11);
  t.notOk(paths(true).some((path) => path.startsWith("scripts/")));
  t.end();
});
