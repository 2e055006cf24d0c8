/** Requests to a model, as tests of playbooks make them. */
import type { ModelRequest } from "../../../../src/agents/playbook/model_request.ts";

export const requestOf = (changes: Partial<ModelRequest> = {}): ModelRequest => ({
  model: "m",
  system: "Be helpful.",
  tools: [{ name: "mcp__shop__find" }, { name: "Bash" }],
  messages: [{ role: "user", text: "Find a hat" }],
  results: [],
  stream: false,
  body: { model: "m", max_tokens: 10 },
  ...changes,
});
