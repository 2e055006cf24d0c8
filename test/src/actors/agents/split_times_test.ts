import t from "tap";
import type { TraceEntry } from "../../../../machines/model/agent_session.ts";
import { splitTimes, tokensOf } from "../../../../src/actors/agents/split_times.ts";

const turn = (lane: string, askedAt: number, answeredAt: number): TraceEntry => ({
  type: "turn",
  lane,
  calls: [],
  askedAt,
  answeredAt,
  usage: { input_tokens: 1 },
});
const call = (lane: string): TraceEntry => ({
  type: "tool_call",
  lane,
  id: "call-1",
  tool: "Bash",
  input: {},
  hooks: [],
});

t.test("a call lasts from the answer that makes it to the next request of its lane", (t) => {
  const { times } = splitTimes([
    { type: "prompt", text: "go", hooks: [] },
    turn("main", 10, 20),
    call("main"),
    turn("finder", 30, 40),
    call("finder"),
    turn("main", 90, 95),
    call("main"),
  ]);
  t.same(times, [
    null,
    { at: 10, until: 20 },
    { at: 20, until: 90 },
    { at: 30, until: 40 },
    { at: 40 },
    { at: 90, until: 95 },
    { at: 95 },
  ]);
  t.end();
});

t.test("the timeline that is left has no times, so that two sessions have the same", (t) => {
  const { timeline } = splitTimes([turn("main", 10, 20)]);
  t.same(timeline, [{ type: "turn", lane: "main", calls: [] }]);
  t.same(splitTimes([{ type: "turn", lane: "main", calls: [] }, call("main")]).times, [null, null]);
  t.end();
});

t.test("tokens of all answers add up, those of the cache as input", (t) => {
  t.same(
    tokensOf([
      { usage: { input_tokens: 3, output_tokens: 2, cache_read_tokens: 4, cache_write_tokens: 5 } },
      {},
      { usage: { output_tokens: 1 } },
    ]),
    { input: 12, output: 3 },
  );
  t.end();
});
