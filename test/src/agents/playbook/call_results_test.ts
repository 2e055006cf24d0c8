import t from "tap";
import { CallResults, idOfCall } from "../../../../src/agents/playbook/call_results.ts";

const calls = (exchange: number, ...tools: string[]) =>
  tools.map((tool, index) => ({ tool, id: idOfCall(exchange, index) }));
const nothing = [undefined, undefined, undefined];
const textsOf = (results: CallResults) =>
  [0, 1].map((exchange) => [0, 1, 2].map((call) => results.of(exchange, call)?.text));

t.test("results belong to calls by their ids, in whichever order they come", (t) => {
  const results = new CallResults();
  results.called(undefined, calls(0, "find", "find"));
  results.asked({
    results: [
      { id: "call_0_1", tool: "find", text: "second" },
      { id: "call_0_0", tool: "find", text: "first" },
      { id: "call_9_9", tool: "find", text: "of no call" },
    ],
  });
  t.strictSame(textsOf(results), [["first", "second", undefined], nothing]);
  t.end();
});

t.test("results without ids belong to calls of their tool, each to one", (t) => {
  const results = new CallResults();
  const said = [{ tool: "find", text: "a" }, { tool: "buy", text: "b" }, { tool: "find", text: "c" }];
  results.called(undefined, calls(0, "find", "find", "buy"));
  results.asked({ results: said });
  results.called(undefined, calls(1, "find", "buy"));
  results.asked({ results: said });
  results.asked({ results: [...said, { tool: "buy", text: "d" }] });
  t.strictSame(textsOf(results), [["a", "c", "b"], [undefined, "d", undefined]]);
  t.end();
});

t.test("each subagent has results of its own, and what is too much is counted", (t) => {
  const results = new CallResults();
  results.called("x", calls(0, "find"));
  results.asked({ results: [{ tool: "find", text: "of another" }] });
  t.strictSame(textsOf(results), [nothing, nothing]);
  results.asked({ agent: "x", results: [{ tool: "find", text: "y".repeat(64 * 1024 * 1024 + 1) }] });
  t.strictSame(textsOf(results), [nothing, nothing]);
  t.equal(results.lost, 1);
  t.end();
});
