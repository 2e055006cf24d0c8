/** `custom_code` on outcomes of its code, and its code from a file. */
import { join } from "node:path";
import t from "tap";
import type { CheckOutcome } from "../../../../machines/model/agent_fixture.ts";
import { readFixtures } from "../../../../src/agent_fixtures/format/read_fixtures.ts";
import { expectationTypes } from "../../../../src/agent_fixtures/judge_expectations.ts";
import type { PthError } from "../../../../src/core/errors.ts";
import { mkdir, writeTextFile } from "../../../../src/platform/files.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";
import { checksOf, ended, judge, sessionOf } from "../session_of.ts";

const expected = { code: "process.exit(0)" };
const judged = (outcome: CheckOutcome) =>
  judge("custom_code", expected, sessionOf([], { checks: checksOf("custom_code", expected, [outcome]) }));

t.test("the exit code decides, and with 0 the last line of JSON", (t) => {
  t.match(judged(ended(0)), { pass: true, actual: { exit_code: 0 } });
  t.match(judged(ended(0, "looked at it\n")), { pass: true });
  t.match(judged(ended(0, 'log\n{"pass":true,"actual":[1]}\n')), { pass: true, actual: { told: [1] } });
  t.match(judged(ended(0, 'log\n{"pass":false,"reason":"two calls failed"}\n')), {
    pass: false,
    reason: "two calls failed",
  });
  t.match(judged(ended(0, '{"pass":false}')), { pass: false, reason: /not as it should be/ });
  t.match(judged(ended(1, '{"pass":true,"reason":"it is broken"}')), {
    pass: false,
    reason: "it ended with 1: it is broken",
  });
  t.match(judged(ended(127, "", "sh: node: not found")), {
    pass: false,
    reason: /ended with 127: .*not found/,
  });
  t.end();
});

t.test("an answer that cannot be read is no agreement", (t) => {
  t.match(judged(ended(0, '{"pass":')), { pass: false, reason: /its last line is no JSON: / });
  t.match(judged(ended(0, '{"passed":true}')), { pass: false, reason: /has no pass that is true or false/ });
  t.match(judged({ code: 0, stdout: "x", stderr: "", truncated: true }), {
    pass: false,
    reason: /said too much/,
  });
  t.match(judged({ code: null, stdout: "", stderr: "" }), { pass: false, reason: /ended with a signal/ });
  t.match(judged({ problem: "it took more than 30 s" }), { pass: false, reason: /more than 30 s/ });
  t.match(judge("custom_code", expected, sessionOf([])), { pass: false, reason: "it was not run" });
  t.end();
});

t.test("code comes as an argument, with the session on stdin, by the program of its language", (t) => {
  const checks = (given: object) => expectationTypes.get("custom_code")!.checks!(given);
  t.match(checks(expected), [{
    script: /^exec node --input-type=module -e "\$1"$/,
    args: ["process.exit(0)"],
    readsSession: true,
    timeoutMs: 30_000,
  }]);
  t.match(checks({ code: "1", language: "python", timeout_ms: 5 }), [{
    script: /python3 -I -c/,
    timeoutMs: 5,
  }]);
  t.end();
});

t.test("a file's code is read with the tests, by the language of its ending; one that is not there is told", async (t) => {
  const folder = await temporaryFolder(t);
  const files = {
    ".claude-plugin/plugin.json": '{ "name": "garden" }',
    "checks/all.py": "import sys\n",
    "beds/fixture.yaml": "name: beds\n",
    "beds/test_a.yaml": `test_id: a
execution: { prompt: go }
expectations:
  - { type: custom_code, expected: { file: checks/all.py } }
`,
  };
  const write = async (path: string, text: string) => {
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeTextFile(join(folder, path), text);
  };
  for (const [path, text] of Object.entries(files)) await write(path, text);
  const { fixtures: [fixture] } = await readFixtures(folder);
  t.strictSame(fixture!.tests[0]!.expectations, [{
    id: "exp-001",
    description: "checks/all.py agrees",
    type: "custom_code",
    expected: { code: "import sys\n", language: "python" },
    line: 4,
  }]);
  await write(
    "beds/test_a.yaml",
    `test_id: a
execution: { prompt: go }
expectations:
  - { type: custom_code, expected: { file: checks/none.mjs } }
  - { type: custom_code, expected: { code: "1", file: checks/all.py } }
  - { type: custom_code, expected: { file: checks/all.py } }
`,
  );
  await write("checks/all.py", "");
  const problems = (error: PthError) => error.message.replaceAll(folder, "");
  t.match(
    await readFixtures(folder).catch(problems),
    "test_a.yaml:5:36 expectations[1].expected: expected code or file",
  );
  await write("beds/test_a.yaml", files["beds/test_a.yaml"].replace("all.py", "none.mjs"));
  t.match(await readFixtures(folder).catch(problems), "test_a.yaml:4:44 there is no file checks/none.mjs");
  await write("beds/test_a.yaml", files["beds/test_a.yaml"]);
  t.match(
    await readFixtures(folder).catch(problems),
    "test_a.yaml:4:44 expected 1 to 65536 bytes of code, checks/all.py has 0 bytes",
  );
});
