// test: timeout=120
/** The real Claude Code and PTH on the same hooks: what each decides in one session, case by case. */
import { join } from "node:path";
import t from "tap";
import type { AgentSessionResult } from "../../../machines/model/agent_session.ts";
import type { HookReport } from "../../../src/hooks/fire_hooks.ts";
import { readTextFile, writeTextFile } from "../../../src/platform/files.ts";
import { openCliTurns } from "../../support/cli_turns.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { makePlace } from "../../support/pth_run.ts";
import { withoutClaude } from "./claude_code.ts";

const turns = openCliTurns();
t.teardown(() => turns.close());

/** Hooks that are judged by more than their exit code. */
const odd = `payload=$(cat)
specific() { echo '{"hookSpecificOutput":{"hookEventName":"'"$1"'",'"$2"'}}'; }
case $payload in
  *case-answer*) specific PreToolUse '"permissionDecision":"deny","permissionDecisionReason":"R1"'; exit 1 ;;
  *case-broken*) echo '{"decision": block}' ;;
  *case-other*) specific Stop '"additionalContext":"x"' ;;
  *case-both*) echo '{"decision":"block","reason":"R2","hookSpecificOutput":{"hookEventName":"Stop"}}' ;;
  *case-slow*) sleep 5; echo '{"decision":"block","reason":"late"}' ;;
  *case-allow*) specific PreToolUse '"permissionDecision":"allow"' ;;
  *case-input*) specific PreToolUse '"updatedInput":{"command":"echo changed","description":"x"}' ;;
  *case-lines*) printf '{"a":1}\\n{"decision":"block"}\\n' ;;
  *case-two*) echo '{"decision":"block","reason":"R3"}'; exit 2 ;;
  *case-ask*) specific PreToolUse '"permissionDecision":"ask","permissionDecisionReason":"R4"' ;;
  *case-text*) echo note; echo '{"decision":"block"}' ;;
esac
`;
const oddHooks = [
  { command: 'sh "${CLAUDE_PLUGIN_ROOT}/odd.sh"', timeout: 1 },
  { command: "grep -q case-guard && exit 1; exit 0", onFailure: "block" },
  { command: "if grep -q case-allow; then echo R5 >&2; exit 2; fi" },
  { command: "grep -q case-later && exit 2", async: true },
  { command: "no-such-program", args: ["x"] },
];
/** A server whose tool judges by the command that it is given. */
const server = `import { createInterface } from "node:readline";
const block = JSON.stringify({ decision: "block", reason: "R6" });
const judge = (command) => /called-block/.test(command)
  ? { content: [{ type: "text", text: block }] }
  : /called-fails/.test(command)
  ? { content: [{ type: "text", text: block }], isError: true }
  : { content: [{ type: "text", text: /called-plain/.test(command) ? "fine" : "" }] };
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const result = method === "initialize"
    ? {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "law", version: "1.0.0" },
    }
    : method === "tools/list"
    ? { tools: [{ name: "judge", description: "Judges.", inputSchema: { type: "object" } }] }
    : method === "tools/call"
    ? judge(params.arguments.command)
    : {};
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
}
`;
const law = { type: "mcp_tool", server: "plugin:guard:law", tool: "judge" };
const input = { command: "${tool_input.command}" };
const called = [
  // Only the first has the server's right name and a tool of it.
  { matcher: "Bash", hooks: [{ ...law, input }, { ...law, server: "law", input }, { ...law, tool: "none" }] },
  { matcher: "Read", hooks: [{ ...law, server: "law", onFailure: "block" }] },
];
const oddCases = [
  ...["answer", "broken", "other", "both", "slow", "allow", "input", "lines", "two", "ask", "text"],
  ...["guard", "later"],
];

const calls = [
  ...oddCases.map((name) => ({ tool: "Bash", input: { command: `echo case-${name}` } })),
  ...["block", "plain", "fails"].map((name) => ({ tool: "Bash", input: { command: `echo called-${name}` } })),
  { tool: "Read", input: { file_path: "called-guard.txt" } },
  { tool: "Bash", input: { command: "rm -rf nothing" } },
  { tool: "Bash", input: { command: "git push" } },
  { tool: "Bash", input: { command: "git status || true" } },
  { tool: "Bash", input: { command: "echo exit 1" } },
  { tool: "Write", input: { file_path: "secret.txt", content: "x" } },
  { tool: "Write", input: { file_path: "note.txt", content: "x" } },
];

t.test("PTH decides about each call as Claude Code does", { skip: withoutClaude }, async (t) => {
  const place = await makePlace(t);
  const plugin = await copyFixture("guarded_plugin", place.folder);
  const file = join(plugin, "hooks/hooks.json");
  const { hooks } = JSON.parse(await readTextFile(file)) as { hooks: Record<string, unknown[]> };
  hooks["PreToolUse"]!.push({
    matcher: "Bash",
    hooks: oddHooks.map((hook) => ({ type: "command", ...hook })),
  });
  hooks["PreToolUse"]!.push(...called);
  const args = ["${CLAUDE_PLUGIN_ROOT}/law.mjs"];
  await writeTextFile(join(plugin, ".mcp.json"), JSON.stringify({ law: { command: "node", args } }));
  await writeTextFile(join(plugin, "law.mjs"), server);
  await writeTextFile(file, JSON.stringify({ hooks }));
  await writeTextFile(join(plugin, "odd.sh"), odd);
  const fire = async (event: string, ...args: string[]): Promise<HookReport[]> => {
    const line = ["hook", "fire", plugin, event, "--env", "host", "--json", ...args];
    const { stdout, stderr } = await turns.run(line, { env: place.env });
    t.match(stdout, "firings", stderr);
    return (JSON.parse(stdout) as { firings: HookReport[] }).firings;
  };
  const payloads = join(place.folder, "calls.jsonl");
  const lines = calls.map(({ tool, input }) => JSON.stringify({ tool_name: tool, tool_input: input }));
  await writeTextFile(payloads, lines.join("\n"));
  const decided = await fire("PreToolUse", "--payload", payloads, "--load");
  t.same(decided.map(({ decision }) => decision), [
    ...[
      "deny",
      "none",
      "none",
      "deny",
      "none",
      "deny",
      "none",
      "none",
      "deny",
      "ask",
      "none",
      "deny",
      "none",
    ],
    ...["deny", "none", "none", "deny"],
    ...["deny", "deny", "allow", "none", "deny", "none"],
  ]);
  const [stop] = await fire("Stop");
  t.equal(stop!.decision, "block");
  const [prompt] = await fire("UserPromptSubmit");

  const book = join(place.folder, "book.yaml");
  const playbook = {
    turns: [
      { calls, expect: { messages: prompt!.context[0] } },
      { text: "Done." },
      {
        calls: [{ tool: "Write", input: { file_path: "done.txt", content: "x" } }],
        expect: { messages: stop!.reasons[0] },
      },
      { text: "Done now." },
    ],
  };
  await writeTextFile(book, JSON.stringify(playbook, undefined, 2));
  const words = ["agent", "run", plugin, "--playbook", book, "--env", "host", "--json", "Go on."];
  const { code, stdout, stderr } = await turns.run(words, { env: place.env });
  t.equal(code, 0, stderr);
  const { trace, failures } = JSON.parse(stdout) as AgentSessionResult;
  t.same(failures, []);
  const made = trace.timeline.flatMap((entry) => entry.type === "tool_call" ? [entry] : []);
  for (const [index, { decision, reasons, updatedInput }] of decided.entries()) {
    const { tool, is_error: refused, result } = made[index]!;
    // No one is there to be asked.
    t.equal(refused, decision === "deny" || decision === "ask", `${tool} ${lines[index]}: ${result}`);
    const isFailure = reasons.some((reason) => reason.includes("onFailure"));
    for (const reason of isFailure ? ["onFailure"] : reasons) t.match(result, reason);
    if (updatedInput !== undefined) t.match(result, "changed");
  }
  const changed = trace.changes.map(({ path }) => path);
  t.same(changed.filter((path) => path.endsWith(".txt")), ["done.txt", "note.txt"]);
});
