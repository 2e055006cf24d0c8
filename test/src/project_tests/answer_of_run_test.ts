import t from "tap";
import { answerOfRun, rerunOf } from "../../../src/project_tests/answer_of_run.ts";
import go from "../../../src/project_tests/frameworks/go.ts";
import { openLiveTests } from "../../../src/project_tests/live_tests.ts";
import type { ProjectPlace } from "../../../src/project_tests/project_place.ts";
import { projectFor } from "../../contracts/test_framework_contract.ts";

const answerFor = (files: Record<string, string>) =>
  answerOfRun({
    live: openLiveTests({} as ProjectPlace, () => {}),
    framework: go,
    project: projectFor({}, files),
    stuck: [],
  });

t.test("files of tests of which none ran are told before how to write one", async (t) => {
  t.match(await answerFor({ "go.mod": "" }), { no_tests: true, hint: /^No tests found/ });
  t.match(await answerFor({ "go.mod": "", "a_test.go": "package a", "b_test.go": "package a" }), {
    no_tests: true,
    hint:
      /^go ran no test of 2 test files, which hold none, or are left out by its options .* No tests found/,
  });
});

t.test("a rerun takes secrets from the shell, and gives other variables of the run", (t) => {
  const project = projectFor({ env: { SHOP_TOKEN: "s3cr3t", SHOP: "a b" } });
  const rerun = rerunOf(go, { name: "TestA", suite: "./a", status: "failed" }, project);
  t.equal(rerun, `SHOP_TOKEN="$SHOP_TOKEN" SHOP='a b' go test -count=1 -v -run '^TestA$' ./a`);
  t.end();
});
