import t from "tap";
import type { OwnTestsRequest } from "../../../../src/api/harness.ts";
import { checkAnswer } from "../../server/check_answer.ts";

t.test("the plugin's own tests are asked for as they are named, and answered as debug_test does", async (t) => {
  const asked: OwnTestsRequest[] = [];
  const answer = {
    framework: "node:test",
    summary: { passed: 1, failed: 1, skipped: 0, duration_ms: 5 },
    failures: [{ name: "adds", file: "a.test.js", line: 3, message: "1 == 2" }],
  };
  await checkAnswer(t, {
    tool: "pth_debug_test",
    input: { folder: "packages/a", level: "unit", timeout: 5000 },
    commands: {
      projectTests: {
        run: (request: OwnTestsRequest) => {
          asked.push(request);
          return Promise.resolve(answer);
        },
      },
    },
    text: /"failed":1.*"file":"a\.test\.js","line":3/,
    data: answer,
  });
  t.strictSame(asked, [{ folder: "packages/a", level: "unit", timeoutMs: 5000 }]);
});
