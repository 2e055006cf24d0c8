/** What a person reads where signals propose no tests. */
import t from "tap";
import { noProposals, nothingToRun } from "../../../src/cli/no_proposals.ts";
import { signals } from "../../../src/testing/generator.ts";
import { nextStepsFor } from "../../../src/core/next_step.ts";

const none = { tests: [], findings: [], heldBack: [] };

t.test("each signal says why it gave no test", (t) => {
  const lines = noProposals([...signals]).trimEnd().split("\n");
  t.same(lines.map((line) => /^No test from (\w+): ./.exec(line)?.[1]), [...signals]);
  t.end();
});

t.test("a run that has nothing to run is wrong use, and says what to ask for", (t) => {
  const error = nothingToRun(["source_analysis"], none);
  t.equal(error.exitCode, 2);
  t.equal(error.message, "Cannot run tests: source_analysis gives none for this plugin");
  t.match(error.context.next?.[0], "--generate schema");
  t.notMatch(nextStepsFor("terminal", error.context.next).join("\n"), "--include-destructive");
  t.end();
});

t.test("tools that were held back are named, and signals that were asked for are not advised", (t) => {
  const heldBack = [{ tool: "delete_note", reason: "its name says so" }];
  const error = nothingToRun(["schema", "config"], { ...none, heldBack });
  t.match(error.message, "schema, config");
  t.match(
    nextStepsFor("terminal", error.context.next).join("\n"),
    "--include-destructive also tests delete_note",
  );
  t.notMatch(nextStepsFor("terminal", error.context.next).join("\n"), "--generate");
  t.end();
});
