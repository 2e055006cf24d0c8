import t from "tap";
import { findTestFiles, readDirectives } from "../../../scripts/testing/test_file.ts";

t.test("finds test files below a folder, sorted, and leaves data and suites out", async (t) => {
  const root = t.testdir({
    test: {
      src: { "b_test.ts": "", "a_test.ts": "", "helper.ts": "" },
      fixtures: { "c_test.ts": "" },
      contracts: { "d_test.ts": "" },
    },
  });
  const files = await findTestFiles(root, ["test"]);
  t.same(files.map(({ path }) => path), ["test/src/a_test.ts", "test/src/b_test.ts"]);
});

t.test("a file named twice runs once", async (t) => {
  const root = t.testdir({ test: { "a_test.ts": "" } });
  t.equal((await findTestFiles(root, ["test", "test/a_test.ts"])).length, 1);
});

t.test("a path that is not there is an error, not an empty run", async (t) => {
  await t.rejects(findTestFiles(t.testdir({}), ["test/missing"]));
});

t.test("a file says how long it may take and what it runs beside", (t) => {
  t.match(readDirectives("test/integration/docker/a_test.ts", "// test: timeout=900\n"), {
    timeoutSeconds: 900,
    slow: true,
  });
  t.match(readDirectives("test/src/a_test.ts", 'import t from "tap";\n'), {
    timeoutSeconds: 90,
    slow: false,
  });
  t.match(readDirectives("test/integration/cli/a_test.ts", ""), { timeoutSeconds: 600, group: undefined });
  t.match(readDirectives("test/integration/vm/a_test.ts", "// test: timeout=300 group=vm\n"), {
    timeoutSeconds: 300,
    group: "vm",
  });
  t.end();
});

t.test("unit test files share a process unless they say otherwise; integration tests never do", (t) => {
  t.match(readDirectives("test/src/a_test.ts", ""), { unit: true, shared: true });
  t.match(readDirectives("test/machines/a_test.ts", "// test: own-process (why)\n"), {
    unit: true,
    shared: false,
  });
  t.match(readDirectives("test/integration/cli/a_test.ts", ""), { unit: false, shared: false });
  t.end();
});
