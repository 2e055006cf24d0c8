// test: timeout=120
/** Test sessions of the real Claude Code; without it they skip. */
import { fileURLToPath } from "node:url";
import t from "tap";
import { readEnv } from "../../../src/platform/host.ts";
import { agentSession } from "../../../src/test_sessions/test_session.ts";

const plugin = fileURLToPath(new URL("../../fixtures/agent_plugin/", import.meta.url));
const skip = readEnv("PTH_CLAUDE") === undefined && "PTH_CLAUDE names no Claude Code";

t.test("a test prompts Claude Code with a plugin, and asserts on its calls", { skip }, async (t) => {
  const claude = await agentSession(t, {
    plugin,
    environment: { runtime: "host" },
    playbook: [{ calls: [{ tool: "Bash", input: { command: "echo hello" } }] }, { text: "Said hello." }],
  });
  await claude.prompt("Say hello");
  t.match(claude.events.toolCallsFor("Bash"), [{ blocked: false, input: { command: "echo hello" } }]);
  t.match(claude.events.toolResults, [{ text: "hello", isError: false }]);
  t.same(claude.events.messages, ["Say hello", "Said hello."]);
  await t.rejects(claude.prompt("Again", [{ text: "One." }, { text: "Two." }]), {
    code: "AGENT_SESSION_FAILED",
    message: /turn 2 not played/,
  });
});
