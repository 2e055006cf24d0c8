/** `hook_event` on scripted sessions. */
import t from "tap";
import { callOf, judge, sessionOf } from "../session_of.ts";

const session = sessionOf([
  { type: "prompt", text: "go", hooks: [{ event: "SessionStart" }] },
  callOf("Bash", {}, { hooks: [{ event: "PreToolUse", failed: "exit code 2: no" }] }),
]);

t.test("an event is found with the call that it belongs to, and with its failure", (t) => {
  t.match(judge("hook_event", { event: "SessionStart" }, session), { pass: true, at: 0 });
  t.match(judge("hook_event", { event: "PreToolUse", tool: "B*", failed: "code 2" }, session), {
    pass: true,
    at: 1,
    actual: { event: "PreToolUse", tool: "Bash" },
  });
  t.match(judge("hook_event", { event: "PreToolUse", tool: "Read" }, session), {
    pass: false,
    reason: /nearest: PreToolUse for Bash, but the tool is Bash, not Read/,
  });
  t.match(judge("hook_event", { event: "Stop", count: 0 }, session), { pass: true });
  t.end();
});
