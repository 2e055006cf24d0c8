import t from "tap";
import { answerOfRun } from "../../../src/project_tests/answer_of_run.ts";
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
