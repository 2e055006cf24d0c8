import t from "tap";
import { decideHooks } from "../../../src/hooks/decide.ts";
import type { JudgedHook } from "../../../src/hooks/judge_hook.ts";

const allow: JudgedHook = { outcome: "success", permission: "allow", reason: "a" };
const ask: JudgedHook = { outcome: "success", permission: "ask", reason: "b" };
const defer: JudgedHook = { outcome: "success", permission: "defer" };
const deny: JudgedHook = { outcome: "blocked", permission: "deny", reason: "d" };
const failed: JudgedHook = { outcome: "failed", failure: "f" };
const quiet: JudgedHook = { outcome: "success" };

t.test("deny is stronger than defer, ask and allow, in whichever order", (t) => {
  const of = (...hooks: JudgedHook[]) => decideHooks("PreToolUse", hooks).decision;
  t.equal(of(allow, deny, ask), "deny");
  t.equal(of(ask, defer, allow), "defer");
  t.equal(of(allow, ask), "ask");
  t.equal(of(quiet, allow, failed), "allow");
  t.equal(of(quiet, failed, { outcome: "timed-out" }), "none");
  t.end();
});

t.test("the reasons are those of the hooks that decided", (t) => {
  t.match(decideHooks("PreToolUse", [allow, deny]), {
    reasons: ["d"],
    consequence: "the tool is not called",
  });
  t.same(decideHooks("PreToolUse", [failed]).reasons, []);
  t.end();
});

t.test("other events are blocked where they can be", (t) => {
  const blocked: JudgedHook = { outcome: "blocked", reason: "r" };
  t.match(decideHooks("Stop", [quiet, blocked]), { decision: "block", reasons: ["r"] });
  t.match(decideHooks("SessionStart", [blocked]), { decision: "none", reasons: [] });
  t.end();
});

t.test("an input is changed by the last hook that decides with it, and by none of those that refuse", (t) => {
  const changed = (a: number): JudgedHook => ({ ...allow, updatedInput: { a } });
  t.same(decideHooks("PreToolUse", [changed(1), changed(2), quiet]).updatedInput, { a: 2 });
  t.equal(decideHooks("PreToolUse", [changed(1), deny]).updatedInput, undefined);
  t.same(decideHooks("PreToolUse", [changed(1), ask]).updatedInput, undefined);
  t.end();
});

t.test("what is for the model, for the user and for the end is gathered", (t) => {
  t.match(
    decideHooks("UserPromptSubmit", [
      { outcome: "success", context: "c", message: "m" },
      { outcome: "success", context: "d", stops: true, stopReason: "e" },
    ]),
    { context: ["c", "d"], messages: ["m"], stops: true, stopReasons: ["e"] },
  );
  t.end();
});
