/** `permission_asked` on scripted sessions. */
import t from "tap";
import { callOf, judge, sessionOf } from "../session_of.ts";

const session = sessionOf([
  callOf("Write", { file_path: "a.txt" }, { denied: true, is_error: true }),
  callOf("Bash", { command: "rm x" }, { is_error: true, result: "PreToolUse:Bash hook error: no" }),
]);

t.test("a call for which a permission was asked counts, one that a hook blocked does not", (t) => {
  t.match(judge("permission_asked", { tool: "Write", pattern: "a\\.txt" }, session), { pass: true, at: 0 });
  t.match(judge("permission_asked", { tool: "Bash" }, session), {
    pass: false,
    reason: /nearest: Bash rm x, but no permission was asked for it/,
  });
  t.match(judge("permission_asked", { tool: "Bash", count: 0 }, session), { pass: true });
  t.match(judge("permission_asked", { tool: "*", count: 0 }, session), {
    pass: false,
    actual: { tool: "Write" },
  });
  t.end();
});
