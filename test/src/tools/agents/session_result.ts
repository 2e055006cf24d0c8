/** A session of an agent, as the harness answers it. */
import type { AgentSessionResult } from "../../../../machines/model/agent_session.ts";

export const sessionResult: AgentSessionResult = {
  agent: "claude",
  version: "2.1.330",
  exit: { code: 0, signal: null, stderr: "" },
  stopped: undefined,
  trace: {
    format: "pth-agent-trace/1",
    timeline: [
      { type: "turn", lane: "main", calls: [], text: "I look." },
      {
        type: "tool_call",
        lane: "main",
        id: "call-1",
        tool: "find",
        input: { a: 1 },
        result: "found",
        hooks: [],
      },
      { type: "end", text: "Done.", hooks: [] },
    ],
    changes: [{ path: "a.txt", change: "added" }],
    warnings: [],
  },
  drift: [],
  failures: [],
  played: 2,
  playbook: [],
};
