import t from "tap";
import { ModelInputs } from "../../../../src/actors/agents/model_inputs.ts";
import type { ModelRequest } from "../../../../src/agents/playbook/model_request.ts";

const request = (more: Partial<ModelRequest>): ModelRequest => ({
  model: "m",
  system: "You help.",
  tools: [{ name: "find", description: "Finds" }],
  messages: [],
  results: [],
  stream: false,
  body: {},
  ...more,
});
const user = (text: string) => ({ role: "user" as const, text });

t.test("each text that a model is sent is kept once, for each conversation", (t) => {
  const inputs = new ModelInputs();
  inputs.hear(request({ messages: [user("go")] }));
  inputs.hear(request({ messages: [user("go"), { role: "assistant", text: "yes" }, user(""), user("on")] }));
  inputs.hear(request({ agent: "a", messages: [user("go")] }));
  inputs.hear(request({ system: "Be brief.", messages: [user("anew")] }));
  t.strictSame(inputs.texts, [
    { in: "system", text: "You help." },
    { in: "tools", text: "find: Finds" },
    { in: "messages", text: "go" },
    { in: "messages", text: "on" },
    { agent: "a", in: "system", text: "You help." },
    { agent: "a", in: "tools", text: "find: Finds" },
    { agent: "a", in: "messages", text: "go" },
    { in: "system", text: "Be brief." },
    { in: "messages", text: "anew" },
  ]);
  t.notOk(inputs.cut);
  t.end();
});

t.test("what is too much to keep is known to be cut", (t) => {
  const inputs = new ModelInputs();
  inputs.hear(request({ messages: [user("x".repeat(5_000_000))] }));
  t.ok(inputs.cut);
  t.end();
});
