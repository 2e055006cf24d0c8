/** `command_succeeds` on outcomes of its command. */
import t from "tap";
import type { CheckOutcome } from "../../../../machines/model/agent_fixture.ts";
import { checksOf, ended, judge, sessionOf } from "../session_of.ts";

const judged = (expected: object, outcome: CheckOutcome) =>
  judge(
    "command_succeeds",
    expected,
    sessionOf([], { checks: checksOf("command_succeeds", expected, [outcome]) }),
  );

t.test("the exit code and what is said count", (t) => {
  t.match(judged({ command: "npm test", stdout: "ok" }, ended(0, "all ok")), {
    pass: true,
    actual: { exit_code: 0 },
  });
  t.match(judged({ command: "ls", stdout: "^one$" }, ended(0, "one\n")), { pass: true });
  t.match(judged({ command: "grep x", exit_code: 1 }, ended(1)), { pass: true });
  t.match(judged({ command: "npm test", stderr: "warn" }, ended(2, "", "bad things")), {
    pass: false,
    reason: /ended with 2, not 0: "bad things"; its errors does not match/,
  });
  t.end();
});

t.test("a command that could not run, or was not run, has not succeeded", (t) => {
  t.match(judged({ command: "sleep 99" }, { problem: "it took more than 30 s" }), {
    pass: false,
    reason: "it could not be run: it took more than 30 s",
  });
  t.match(judge("command_succeeds", { command: "true" }, sessionOf([])), { pass: false, reason: /not run/ });
  t.end();
});
