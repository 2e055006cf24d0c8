/** `skill_used` on scripted sessions. */
import t from "tap";
import { callOf, judge, sessionOf } from "../session_of.ts";

const session = sessionOf([
  callOf("Bash", { command: "ls", skill: "shop:hidden" }),
  callOf("Skill", { skill: "shop:press" }, { is_error: false }),
  callOf("Skill", { skill: "shop:wrap" }, { is_error: true, result: "Unknown skill: shop:wrap" }),
]);

t.test("a skill that was taken counts, by a glob and a number", (t) => {
  t.match(judge("skill_used", { skill: "shop:p*" }, session), {
    pass: true,
    at: 1,
    actual: { skill: "shop:press" },
  });
  t.match(judge("skill_used", { skill: "shop:*", count: 2 }, session), {
    pass: false,
    reason: /found 1 time/,
  });
  t.match(judge("skill_used", { skill: "shop:hidden", count: 0 }, session), { pass: true });
  const gemini = sessionOf([callOf("activate_skill", { name: "press" })]);
  t.match(judge("skill_used", { skill: "press" }, gemini), { pass: true });
  t.end();
});

t.test("one that the agent does not know is the nearest miss", (t) => {
  t.match(judge("skill_used", { skill: "shop:wrap" }, session), {
    pass: false,
    reason: /nearest: the skill shop:wrap, but the agent could not use it: Unknown skill/,
  });
  t.match(judge("skill_used", { skill: "x" }, sessionOf([])), { pass: false, actual: null });
  t.end();
});
