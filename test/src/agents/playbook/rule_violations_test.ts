import t from "tap";
import { ruleViolations } from "../../../../src/agents/playbook/rule_violations.ts";
import { fillTurn } from "../../../../src/agents/playbook/fill_turn.ts";
import { judgeRequest } from "../../../../src/agents/playbook/judge_request.ts";
import { requestOf } from "./requests.ts";

const result = { tool: "mcp__shop__find", text: '{"items":[{"id":7,"name":"hat"}]}', isError: false };

t.test("a rule holds where all its parts do", (t) => {
  const request = requestOf({
    system: "Be helpful.\n- shop:hats: Sells hats\n- **plain**\n<skill>\n<name>\nfold\n</name>",
    results: [result],
  });
  t.strictSame(
    ruleViolations({
      tools: ["mcp__shop__*", "Bash"],
      no_tools: ["Write"],
      lists: ["shop:hats", "plain", "fold"],
      no_lists: ["shop:coats"],
      model: "m",
      system: { contains: ["helpful", "Sells"], lacks: "coats" },
      prompt: { glob: "Find ? hat" },
      messages: { regex: "hat$" },
      result: { tool: "*find", is_error: false, text: "hat", path: "$.items[0].id", equals: 7 },
      schema: { type: "object", required: ["max_tokens"] },
    }, request),
    [],
  );
  t.end();
});

t.test("each part that does not hold is named with what there is", (t) => {
  const request = requestOf({ results: [result] });
  t.strictSame(
    ruleViolations({
      tools: ["Write"],
      no_tools: ["Ba*"],
      lists: ["shop:hats"],
      prompt: { contains: "coat", lacks: "hat", glob: "coat*", regex: "^coat" },
      result: { is_error: true, path: "$.items[0].id", equals: 8 },
      schema: { required: ["stream"] },
    }, request),
    [
      "no tool Write is offered (mcp__shop__find, Bash)",
      "the tool Bash is offered",
      "shop:hats is not listed",
      'prompt: does not contain "coat", it is "Find a hat"',
      'prompt: contains "hat"',
      'prompt: does not fit coat*, it is "Find a hat"',
      'prompt: does not match /^coat/, it is "Find a hat"',
      'result of mcp__shop__find is no error: "{\\"items\\":[{\\"id\\":7,\\"name\\":\\"hat\\"}]}"',
      "result of mcp__shop__find has 7 at $.items[0].id, not 8",
      "request: / must have required property 'stream'",
    ],
  );
  t.strictSame(ruleViolations({ result: { tool: "Bash" } }, request), ["no result of Bash is there"]);
  t.end();
});

t.test("a rule on errors does not hold where the API does not tell of them", (t) => {
  const { isError: _, ...untold } = result;
  for (const is_error of [true, false]) {
    t.match(ruleViolations({ result: { is_error } }, requestOf({ results: [untold] })), [
      /^result of mcp__shop__find may be an error or not, its model API does not tell/,
    ]);
  }
  t.end();
});

t.test("a turn takes values from results, with their types where a text is a variable alone", (t) => {
  const { turn, variables } = fillTurn(
    {
      text: "It is $name ($id), for $$5",
      bind: {
        id: { tool: "*find", path: "$.items[0].id" },
        name: { regex: '"name":"(\\w+)"' },
        items: { path: "$.items" },
      },
      calls: [{ tool: "buy", input: { id: "$id", list: "$items", old: ["$before"] } }, { tool: "end" }],
    },
    requestOf({ results: [result] }),
    { before: true },
  );
  t.equal(turn.text, "It is hat (7), for $5");
  t.strictSame(turn.calls, [
    { tool: "buy", input: { id: 7, list: [{ id: 7, name: "hat" }], old: [true] } },
    { tool: "end" },
  ]);
  t.strictSame(Object.keys(variables), ["before", "id", "name", "items"]);
  t.equal(fillTurn({ text: "$items" }, requestOf(), variables).turn.text, '[{"id":7,"name":"hat"}]');
  t.end();
});

t.test("a binding that finds nothing is an error that names it", (t) => {
  const request = requestOf({ results: [result, { ...result, tool: "Bash", text: "plain" }] });
  const fill = (bind: object) => () => fillTurn({ text: "$a", bind: { a: bind } }, request, {});
  t.throws(fill({ tool: "none", path: "$" }), { message: "Cannot bind a: no result of none is there yet" });
  t.throws(fill({ path: "$.x" }), {
    message: /^Cannot bind a: \$\.x needs JSON, and it is not: the result of Bash/,
  });
  t.throws(fill({ tool: "*find", path: "$.x" }), {
    message: /nothing is at \$\.x of the result of mcp__shop__find/,
  });
  t.throws(fill({ regex: "id=(.)" }), {
    code: "INVALID_PLAYBOOK",
    message: /matches nothing in the result of Bash/,
  });
  t.end();
});

t.test("what decides about a request is its lanes, its conditions, its subagent and its purpose", (t) => {
  const playbook = {
    lanes: [
      {
        name: "main",
        turns: [{ text: "a", when: { prompt: "hat" } }, { text: "b", match: { prompt: "coat" } }],
      },
      {
        name: "other",
        match: { system: "helpful" },
        turns: [{ text: "a", repeat: { until: { tools: ["Bash"] } } }],
      },
    ],
  };
  const main = judgeRequest("1", requestOf(), playbook);
  t.strictSame(main.lanes, [1]);
  t.strictSame(main.holds, ["0.0.when", "1.0.until"]);
  t.equal(main.summary, 'the main conversation says "Find a hat"; 2 tools offered');
  const agent = judgeRequest("2", requestOf({ agent: "a1", results: [result] }), playbook);
  t.match(agent, {
    agent: "a1",
    opening: "Find a hat",
    summary: /^subagent a1 says .*last result: mcp__shop__find/,
  });
  const side = (system: string) => judgeRequest("3", requestOf({ tools: [], system }), playbook).side;
  t.equal(side("Write a short title"), "title");
  t.equal(side("Summarize the conversation"), "summary");
  t.equal(side("Be helpful."), undefined);
  const title = requestOf({ tools: [], system: "Write a short title" });
  t.equal(judgeRequest("4", title, playbook, false).side, undefined, "an agent that asks for none");
  const laned = { lanes: [{ name: "t", side: "title" as const, turns: [] }] };
  t.equal(judgeRequest("5", title, laned, false).side, "title", "unless the playbook has a lane for it");
  t.end();
});
