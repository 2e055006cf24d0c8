/** Agents whose traces are made of requests and output. */
import t from "tap";
import type { ModelExchange } from "../../../../machines/model/agent_session.ts";
import { agentNamed } from "../../../../src/agents/adapters/agents.ts";

const place = {
  folder: "/w/agent-1",
  project: "/w/agent-1/project",
  plugin: "/w/plugin",
  url: "http://127.0.0.1:7",
  prompt: "go",
};
const exchange = (tool: string): ModelExchange => ({
  lane: "main",
  tools: [tool],
  calls: [{ tool, input: { name: "moss" } }, { tool, input: { name: "rose" } }],
});

/** The trace of a session in which the model calls a tool twice; the first call fails. */
function traced(agent: string, tool: string, output: readonly unknown[], files: Record<string, string> = {}) {
  const { trace, isLastLine } = agentNamed(agent);
  const lines = output.map((line) => typeof line === "string" ? line : JSON.stringify(line));
  const made = trace({
    files,
    output: lines,
    exchanges: [exchange(tool)],
    resultOf: (_, call) => ({ text: `Wall time: 0.0${call}1 seconds\nin /w/plugin` }),
  }, place);
  const calls = made.timeline.flatMap((entry) => entry.type === "tool_call" ? [entry] : []);
  const end = made.timeline.at(-1);
  return {
    calls: calls.map(({ result, is_error }) => [result, is_error]),
    end: end?.type === "end" ? end.text : undefined,
    warnings: made.warnings,
    last: lines.map((line) => isLastLine(line)),
  };
}

t.test("Codex tells which calls failed; the time that a result took is left out", (t) => {
  const call = (status: string, isError: boolean) => ({
    type: "item.completed",
    item: { type: "mcp_tool_call", server: "shop", tool: "find", status, result: { is_error: isError } },
  });
  const { calls, end, warnings, last } = traced("codex", "mcp__shop__find", [
    { type: "thread.started", thread_id: "t" },
    call("completed", true),
    call("completed", false),
    { type: "item.completed", item: { type: "error", message: "Model metadata for `gpt-5` not found." } },
    { type: "item.completed", item: { type: "error", message: "odd" } },
    { type: "item.completed", item: { type: "agent_message", text: "Done in /w/agent-1/project." } },
    { type: "turn.completed", usage: {} },
  ]);
  const result = "Wall time: <n> seconds\nin <plugin>";
  t.strictSame(calls, [[result, true], [result, false]]);
  t.equal(end, "Done in <project>.");
  t.strictSame(warnings, ["codex: odd"]);
  t.strictSame(last, [false, false, false, false, false, false, true]);
  t.match(traced("codex", "x", [{ type: "turn.failed", error: { message: "no more" } }]), {
    warnings: ["codex: no more"],
    last: [true],
  });
  t.end();
});

t.test("Qwen Code tells which calls failed, by their ids", (t) => {
  const use = (id: string) => ({
    type: "assistant",
    message: { content: [{ type: "tool_use", id, name: "find" }] },
  });
  const result = (id: string, isError: boolean) => ({
    type: "user",
    message: { content: [{ type: "tool_result", tool_use_id: id, is_error: isError }] },
  });
  const { calls, end, last } = traced("qwen", "find", [
    use("a"),
    use("b"),
    result("a", true),
    result("b", false),
    { type: "result", is_error: false, result: "Done." },
  ]);
  t.strictSame(calls.map(([, isError]) => isError), [true, false]);
  t.equal(end, "Done.");
  t.equal(last.at(-1), true);
  const failed = { type: "result", is_error: true, error: { message: "no more" } };
  t.strictSame(traced("qwen", "find", [failed]).warnings, ["qwen: no more"]);
  t.end();
});

t.test("Gemini CLI says its last words in pieces", (t) => {
  const say = (content: string) => ({ type: "message", role: "assistant", content, delta: true });
  const { end, warnings, last } = traced("gemini", "find", [
    { type: "message", role: "user", content: "go" },
    say("I look."),
    { type: "tool_use", tool_name: "find" },
    say("It is "),
    say("done."),
    { type: "result", status: "success" },
  ]);
  t.equal(end, "It is done.");
  t.strictSame(warnings, []);
  t.equal(last.at(-1), true);
  const failed = { type: "result", status: "error", error: { message: "no more" } };
  t.strictSame(traced("gemini", "find", [failed]).warnings, ["gemini: no more"]);
  t.end();
});

t.test("opencode and pi tell their last text, and errors; broken lines are a warning", (t) => {
  const opencode = traced("opencode", "find", [
    { type: "text", part: { text: "I look." } },
    { type: "step_finish", part: { reason: "tool-calls" } },
    { type: "text", part: { text: "Done." } },
    { type: "step_finish", part: { reason: "stop" } },
    { type: "error", error: { name: "APIError", data: { message: "at http://127.0.0.1:7/v1" } } },
    "no json",
  ]);
  t.equal(opencode.end, "Done.");
  t.strictSame(opencode.warnings, [
    "the output has 1 line that cannot be read",
    "opencode: at <model>/v1",
  ]);
  t.strictSame(opencode.last, [false, false, false, true, false, false]);

  const says = (text: string, rest: object = {}) => ({
    type: "message_end",
    message: { role: "assistant", content: [{ type: "text", text }], ...rest },
  });
  const pi = traced("pi", "find", [
    says("I look."),
    { type: "message_end", message: { role: "user", content: "x" } },
    says("Done."),
    { type: "agent_end", willRetry: true },
    { type: "agent_end" },
  ], { "pi/servers.log": "server shop failed: no such file\n" });
  t.equal(pi.end, "Done.");
  t.strictSame(pi.warnings, ["server shop failed: no such file"]);
  t.strictSame(pi.last, [false, false, false, false, true]);
  const failed = says("", { stopReason: "error", errorMessage: "no more" });
  t.strictSame(traced("pi", "find", [failed]).warnings, ["pi: no more"]);
  t.end();
});
