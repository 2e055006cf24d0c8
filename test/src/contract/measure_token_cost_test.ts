import t from "tap";
import { measureTokenCost, seenAnswers } from "../../../src/contract/measure_token_cost.ts";

const tools = [
  { name: "short", inputSchema: { type: "object" } },
  { name: "long", description: "word ".repeat(500), inputSchema: { type: "object" } },
];

t.test("tools, instructions and answers are counted", async (t) => {
  const cost = await measureTokenCost(tools, "Use short first.", [
    { tool: "short", text: "one two three" },
    { tool: "short", text: "one" },
    { tool: "short", text: "one two" },
    { tool: "unknown", text: "x" },
  ]);
  t.equal(cost.tokenizer, "o200k_base");
  t.ok(cost.tools[1]!.tokens > 500 && cost.tools[0]!.tokens < 30);
  t.ok(cost.list.tokens >= cost.tools[0]!.tokens + cost.tools[1]!.tokens);
  t.equal(cost.tools[1]!.bytes, JSON.stringify(tools[1]).length);
  t.same(cost.answers, [{ tool: "short", calls: 3, medianTokens: 2, maxTokens: 3 }]);
  t.same(cost.instructions, { bytes: 16, tokens: 4 });
});

t.test("an answer too long to count whole is scaled up", async (t) => {
  const { answers } = await measureTokenCost(tools, undefined, [{
    tool: "long",
    text: "word ".repeat(100_000),
  }]);
  t.ok(Math.abs(answers[0]!.maxTokens - 100_000) < 2000, `${answers[0]!.maxTokens}`);
});

t.test("answers are found among messages, as a model gets them", (t) => {
  const call = (id: number, name: string, result: unknown) => [
    { at: id, direction: "sent" as const, message: { id, method: "tools/call", params: { name } } },
    { at: id + 1, direction: "received" as const, message: { id, result } },
  ];
  const content = [{ type: "text", text: "a" }, { type: "image", data: "AAAA" }, { type: "text", text: "b" }];
  t.same(
    seenAnswers([
      ...call(1, "one", { content }),
      ...call(2, "two", { structuredContent: { x: 1 } }),
      ...call(3, "three", undefined),
    ]),
    [{ tool: "one", text: "a\nb" }, { tool: "two", text: '{"x":1}' }],
  );
  t.end();
});
