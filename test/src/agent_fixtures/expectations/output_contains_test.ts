/** `output_contains` on scripted sessions. */
import t from "tap";
import { judge, sessionOf } from "../session_of.ts";

const session = sessionOf([
  { type: "turn", lane: "main", text: "First the report.", calls: [] },
  { type: "turn", lane: "main", text: "All is done.", calls: [] },
  { type: "end", text: "All is done.", hooks: [] },
]);

t.test("the last words count, and earlier ones where that is asked for", (t) => {
  t.match(judge("output_contains", { pattern: "IS done", flags: "i" }, session), {
    pass: true,
    at: 2,
    actual: { matched_text: "is done", context: "All is done." },
  });
  t.match(judge("output_contains", { pattern: "report", of: "all" }, session), { pass: true, at: 0 });
  t.match(judge("output_contains", { pattern: "report" }, session), {
    pass: false,
    reason: /does not match \/report\/: "All is done\."; an earlier text matches/,
  });
  t.end();
});

t.test("a text that must be absent, and an agent that said nothing", (t) => {
  t.match(judge("output_contains", { pattern: "error", absent: true }, session), { pass: true });
  t.match(judge("output_contains", { pattern: "done", absent: true }, session), { pass: false });
  t.match(judge("output_contains", { pattern: "x" }, sessionOf([])), { pass: false, actual: null });
  t.end();
});
