/** `subagent_event` on scripted sessions. */
import t from "tap";
import { judge, sessionOf } from "../session_of.ts";

const session = sessionOf([
  { type: "subagent", lane: "a", id: "call-2", agent: "shop:finder", hooks: [{ event: "SubagentStart" }] },
]);

t.test("a subagent is found by its type and its id; one that never ended is told", (t) => {
  t.match(judge("subagent_event", { event: "SubagentStart", agent_type: "shop:*" }, session), {
    pass: true,
    at: 0,
    actual: { agent_id: "call-2", agent_type: "shop:finder" },
  });
  t.match(judge("subagent_event", { event: "SubagentStop", agent_id: "call-2" }, session), {
    pass: false,
    reason: /it has no event SubagentStop/,
  });
  t.match(judge("subagent_event", { event: "SubagentStart", count: 0 }, session), { pass: false });
  t.end();
});
