import t from "tap";
import { payloadFor, recordedEvents, recordedPayload } from "../../../src/hooks/payloads.ts";
import { hookEvents } from "../../../src/hooks/hook_events.ts";
import { planHooks } from "../../../src/hooks/plan_hooks.ts";
import { hookOf } from "./hook_samples.ts";

const plan = (
  hooks: ReturnType<typeof hookOf>[],
  payload: Record<string, unknown> = {},
  event = "PreToolUse",
) => planHooks({ plugin: "p", hooks }, event, payloadFor(event, payload), { TOKEN: "t" });

t.test("hooks of the event whose matcher fits run, each once", (t) => {
  const planned = plan([
    hookOf("PreToolUse", "a", "Bash"),
    hookOf("PreToolUse", "b", "Write"),
    hookOf("Stop", "c"),
    hookOf("PreToolUse", "a"),
    hookOf("PreToolUse", { type: "prompt", prompt: "p" }),
  ]);
  t.match(planned.map(({ ready, skipped }) => skipped ?? (ready as { command?: string }).command), [
    "a",
    'its matcher "Write" does not fit Bash',
    /runs once/,
    "hooks of type prompt are not run",
  ]);
  t.match(planned[3], { untested: true, notes: [/no part of the decision/] });
  t.end();
});

t.test("`if` is judged by the tool's name and a simple command, and said to be open where it cannot be", (t) => {
  const of = (condition: string, command = "git status", event = "PreToolUse") => {
    const [one] = plan([hookOf(event, { if: condition })], { tool_input: { command } }, event);
    return one!.ready === undefined ? "no" : one!.notes.length === 0 ? "runs" : "open";
  };
  t.equal(of("Bash"), "runs");
  t.equal(of("Write"), "no");
  t.equal(of("Bash(git *)"), "runs");
  t.equal(of("Bash(git *)", "git"), "runs");
  t.equal(of("Bash(git:*)", "github"), "no");
  t.equal(of("Bash(git *)", "cd a && git status"), "open");
  t.equal(of("Bash", "", "Stop"), "no", "never on other events");
  t.end();
});

t.test("limits are the hook's, else the event's, and short at the end of a session", (t) => {
  const limit = (event: string, timeout?: number) =>
    plan([hookOf(event, timeout === undefined ? {} : { timeout })], {}, event)[0]!.ready!.limitMs;
  t.equal(limit("PreToolUse"), 600_000);
  t.equal(limit("PreToolUse", 2), 2000);
  t.equal(limit("UserPromptSubmit"), 30_000);
  t.equal(limit("SessionEnd"), 1500);
  t.equal(limit("SessionEnd", 600), 60_000);
  t.end();
});

t.test("headers of a request take the variables that the hook names, and nothing for others", (t) => {
  const headers = { Authorization: "Bearer $TOKEN", Other: "${HOME}!" };
  const http = hookOf("Stop", { type: "http", url: "http://127.0.0.1/", headers, allowedEnvVars: ["TOKEN"] });
  t.match(plan([http], {}, "Stop")[0]!.ready, { headers: { Authorization: "Bearer t", Other: "!" } });
  t.end();
});

t.test("every event has a payload, filled up with what is given", (t) => {
  for (const event of hookEvents.keys()) t.equal(payloadFor(event).hook_event_name, event);
  t.match(payloadFor("PreToolUse", { tool_name: "Write" }), { tool_name: "Write", tool_input: {} });
  t.match(payloadFor("PreToolUse", { tool_input: { a: 1 } }), { tool_name: "Bash", tool_input: { a: 1 } });
  t.throws(
    () => payloadFor("Stop", { hook_event_name: "SessionEnd" }),
    /the payload is of the event SessionEnd/,
  );
  t.throws(() => payloadFor("Stopp"), /no such event \(did you mean "Stop"/);
  for (const event of recordedEvents) t.ok(recordedPayload(event));
  t.throws(() => recordedPayload("Setup"), /no payload of it was recorded/);
  t.end();
});
