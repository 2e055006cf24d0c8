/** `tool_call` on scripted sessions. */
import t from "tap";
import { callOf, judge, sessionOf } from "../session_of.ts";

const session = sessionOf([
  { type: "prompt", text: "go", hooks: [] },
  callOf("Bash", { command: "cat notes.md" }, { result: "notes", is_error: false }),
  callOf("Bash", { command: "cat old/config.yml" }, {
    result: "PreToolUse:Bash hook error: no configs",
    is_error: true,
    hooks: [{ event: "PreToolUse" }],
  }),
  callOf("mcp__shop__find", { word: "hat", size: { min: 1, max: 2 } }, { result: "found", is_error: false }),
]);

t.test("a call fits by its tool, its command line and its input", (t) => {
  t.match(judge("tool_call", { tool: "Bash", pattern: "^cat NOTES", flags: "i" }, session), {
    pass: true,
    at: 1,
    actual: { tool: "Bash", command: "cat notes.md", output_preview: "notes" },
  });
  t.match(judge("tool_call", { tool: "mcp__*", input: { "$.word": "hat", "$.size": { max: 2 } } }, session), {
    pass: true,
    at: 3,
  });
  t.match(judge("tool_call", { tool: "mcp__*", input_schema: { required: ["colour"] } }, session), {
    pass: false,
    reason: /input_schema: .*colour/,
  });
  t.end();
});

t.test("a failure names the nearest miss, and what it lacks", (t) => {
  t.match(judge("tool_call", { tool: "Bash", pattern: "cat.*config\\.yaml" }, session), {
    pass: false,
    actual: { command: "cat old/config.yml" },
    reason:
      'expected a call of Bash with /cat.*config\\.yaml/ at least once, none was found; nearest: Bash "cat ' +
      'old/config.yml", but its input does not match /cat.*config\\.yaml/: "cat old/config.yml"',
  });
  t.match(judge("tool_call", { tool: "Read" }, sessionOf([])), { pass: false, actual: null });
  t.end();
});

t.test("counts, order and what must not be called", (t) => {
  t.match(judge("tool_call", { tool: "Bash", count: 2 }, session), { pass: true });
  t.match(judge("tool_call", { tool: "Write", count: 0 }, session), { pass: true, actual: null });
  t.match(judge("tool_call", { tool: "mcp__*", count: 0 }, session), {
    pass: false,
    reason: /never, found 1 time: mcp__shop__find/,
  });
  t.match(judge("tool_call", { tool: "mcp__*", after: { tool: "Bash", pattern: "notes" } }, session), {
    pass: true,
  });
  t.match(judge("tool_call", { tool: "mcp__*", before: { tool: "Bash" } }, session), {
    pass: false,
    reason: /no call of Bash came after it/,
  });
  t.end();
});

t.test("a call that a hook refused is blocked, with its reason; one that failed by itself is not", (t) => {
  t.match(judge("tool_call", { tool: "Bash", blocked: "no configs" }, session), { pass: true, at: 2 });
  t.match(judge("tool_call", { tool: "Bash", blocked: "other" }, session), { pass: false });
  t.match(judge("tool_call", { tool: "mcp__*", blocked: true }, session), {
    pass: false,
    reason: /it was not blocked/,
  });
  const failed = callOf("Bash", {}, {
    is_error: true,
    hooks: [{ event: "PreToolUse" }, { event: "PostToolUseFailure" }],
  });
  t.match(judge("tool_call", { tool: "Bash", blocked: true }, sessionOf([failed])), { pass: false });
  t.end();
});
