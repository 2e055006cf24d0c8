import t from "tap";
import { matchedValue, matcherFits, readMatcher } from "../../../src/hooks/matcher.ts";

const fits = (matcher: string | undefined, value: string | undefined, event = "PreToolUse") =>
  matcherFits(readMatcher(event, matcher), value);

t.test("a matcher of letters is a whole name, of any case as it is written", (t) => {
  t.ok(fits("Bash", "Bash"));
  t.notOk(fits("bash", "Bash"));
  t.notOk(fits("Edit", "NotebookEdit"));
  t.ok(fits("Write | Edit", "Edit"));
  t.ok(fits("Write, Edit", "Edit"));
  t.ok(fits("Task", "Agent"), "an earlier name of a tool");
  t.end();
});

t.test("anything else is a regular expression that is found anywhere", (t) => {
  t.ok(fits("mcp__.*", "mcp__shop__find"));
  t.ok(fits("Edit.?", "NotebookEdit"));
  t.ok(fits("^Task$", "Agent"));
  t.notOk(fits("Bash(git *)", "Bash"), "a permission rule is none");
  t.notOk(fits("(", "Bash"), "one that does not compile fits nothing");
  t.notOk(fits("(a+)+b", "a".repeat(60)), "one that runs away fits nothing");
  t.end();
});

t.test("without a matcher, with an empty one and with * all fits, and where the event has nothing to match", (t) => {
  for (const matcher of [undefined, "", "*", ".*"]) t.ok(fits(matcher, "Bash"));
  t.ok(fits("Bash", undefined, "Stop"));
  t.equal(matchedValue("Stop", { tool_name: "Bash" }), undefined);
  t.end();
});

t.test("each event has its own subject", (t) => {
  t.equal(matchedValue("PreToolUse", { tool_name: "Bash" }), "Bash");
  t.equal(matchedValue("SessionStart", { source: "resume" }), "resume");
  t.equal(matchedValue("FileChanged", { file_path: "/a/.env" }), ".env");
  t.ok(fits(".env", ".env", "FileChanged"));
  t.end();
});
