// test: timeout=400
/** Real agents on the same playbook; `.ci/run` installs them, and without them these tests skip. */
import t from "tap";
import { type AgentCase, agentContract } from "../../contracts/agent_contract.ts";
import { openCliTurns } from "../../support/cli_turns.ts";

const turns = openCliTurns();
t.teardown(() => turns.close());

const cases: readonly AgentCase[] = [
  { agent: "claude", tool: (name) => `mcp__plugin_florist_shop__${name}` },
  {
    agent: "codex",
    tool: (name) => `mcp__shop__${name}`,
    result: (text) => `Wall time: <n> seconds\nOutput:\n${text}`,
  },
  { agent: "opencode", tool: (name) => `shop_${name}` },
  {
    agent: "gemini",
    tool: (name) => `mcp_shop_${name}`,
    result: (text) => `<untrusted_context>\n${text}\n</untrusted_context>`,
  },
  { agent: "qwen", tool: (name) => `mcp__shop__${name}`, toolSearch: true },
  { agent: "pi", tool: (name) => `mcp__shop__${name}` },
];

for (const each of cases) agentContract(turns, each);
