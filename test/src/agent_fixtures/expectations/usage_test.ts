/** `usage` on scripted sessions. */
import t from "tap";
import { callOf, judge, sessionOf } from "../session_of.ts";

const timeline = [
  { type: "turn" as const, lane: "main", calls: [] },
  callOf("Bash", { command: "ls" }),
  { type: "turn" as const, lane: "main", calls: [] },
];

t.test("numbers within bounds pass, and others are told with the bounds", (t) => {
  const session = sessionOf(timeline, {
    facts: { tokens: { input: 90, output: 10 } },
    spent: { tokens: 100, cost: 0.5 },
  });
  t.match(
    judge(
      "usage",
      { tokens: { max: 100 }, output_tokens: { min: 5 }, turns: 2, calls: 1, max_cost: 0.5 },
      session,
    ),
    { pass: true, actual: { tokens: 100, turns: 2, cost: 0.5 } },
  );
  t.match(judge("usage", { tokens: { max: 99 }, turns: { min: 3 }, max_cost: 0.4 }, session), {
    pass: false,
    reason:
      "tokens: 100, expected at most 99; turns: 2, expected at least 3; it has cost 0.5000, expected at most 0.4",
  });
  t.throws(() => judge("usage", {}, session), /expected a bound/);
  t.end();
});

t.test("tokens and cost that nobody tells are within no bounds", (t) => {
  const silent = sessionOf(timeline, {
    facts: { tokens: { input: 0, output: 0 } },
    spent: { tokens: 0, cost: 0 },
  });
  t.match(judge("usage", { tokens: { max: 1000 } }, silent), { pass: false, reason: /tokens are not known/ });
  t.match(judge("usage", { max_cost: 1 }, silent), { pass: false, reason: /the cost is not known/ });
  t.match(judge("usage", { turns: { max: 2 } }, silent), { pass: true });
  t.end();
});
