import t from "tap";
import { matcherProblem } from "../../../src/hooks/matcher_problem.ts";

t.test("a matcher that may fit is no problem", (t) => {
  for (
    const matcher of [
      undefined,
      "",
      "*",
      "Bash",
      "Task",
      "Write|Edit",
      "mcp__shop__.*",
      "^Notebook",
      "mcp__a__b",
    ]
  ) {
    t.equal(matcherProblem("PreToolUse", matcher), undefined, matcher ?? "none");
  }
  t.equal(matcherProblem("SessionStart", "startup|resume"), undefined);
  t.equal(matcherProblem("Notification", "whatever"), undefined, "its values are not known");
  t.end();
});

t.test("one that never fits is told, with what was meant", (t) => {
  t.match(matcherProblem("PreToolUse", "bash"), /never fits.*did you mean "Bash"/);
  t.match(matcherProblem("PreToolUse", "Bash(git *)"), /write "matcher": "Bash" and "if": "Bash\(git \*\)"/);
  t.match(matcherProblem("PreToolUse", "("), /does not compile/);
  t.match(matcherProblem("PreToolUse", "^Nothing$"), /fits none of Claude Code's tools/);
  t.match(matcherProblem("PreToolUse", "Bash|Writ"), /^"Writ" is none/);
  t.match(matcherProblem("SessionStart", "begin"), /never fits.*startup, resume/);
  t.match(matcherProblem("Stop", "Bash"), /counts for nothing/);
  t.end();
});
