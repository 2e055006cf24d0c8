/** `model_input` on scripted sessions. */
import t from "tap";
import { judge, sessionOf } from "../session_of.ts";

const session = sessionOf([], {
  modelInput: [
    { in: "system", text: "You are an agent." },
    { in: "tools", text: "find: Finds a plant" },
    { in: "messages", text: "Report on\nthe cabinet" },
    { agent: "a1", in: "system", text: "You name plants." },
  ],
});

t.test("a text counts where it was said, to whom it was said", (t) => {
  t.match(judge("model_input", { pattern: "THE cabinet", flags: "i" }, session), {
    pass: true,
    actual: { in: "messages", matched_text: "the cabinet" },
  });
  t.match(judge("model_input", { pattern: "Finds", in: "system" }, session), {
    pass: false,
    reason: "none of 1 texts that the model was told matches /Finds/; it was in its tools",
  });
  t.match(judge("model_input", { pattern: "name plants" }, session), {
    pass: false,
    reason: /it was told a subagent in its system/,
  });
  t.match(judge("model_input", { pattern: "name plants", of: "subagents" }, session), { pass: true });
  t.match(judge("model_input", { pattern: "name plants", of: "all" }, session), { pass: true });
  t.end();
});

t.test("a text that must be absent, and what nothing is known of", (t) => {
  t.match(judge("model_input", { pattern: "secret", absent: true }, session), { pass: true });
  t.match(judge("model_input", { pattern: "plant", absent: true }, session), {
    pass: false,
    reason: /expected no such text, found/,
  });
  for (const absent of [true, false]) {
    t.match(judge("model_input", { pattern: "x", absent }, sessionOf([])), {
      pass: false,
      reason: /is not known/,
    });
    t.match(judge("model_input", { pattern: "x", absent }, sessionOf([], { modelInput: [] })), {
      pass: false,
      reason: /no model was told anything/,
    }, "a model that was never asked proves nothing");
  }
  t.end();
});
