/** OpenAI's own client library on PTH's Responses. */
import OpenAI from "openai";
import t, { type Test } from "tap";
import type { ModelAnswer } from "../../../../src/agents/model_api/model_api.ts";
import { allOf, brokenTurn, fullTurn, openModel, post } from "./open_model.ts";

/** A client whose requests are answered with these, one after the other; it never asks again by itself. */
async function openClient(t: Test, ...answers: ModelAnswer[]) {
  const { seen, server } = await openModel(t, ...answers);
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none", maxRetries: 0, logLevel: "off" });
  return { client: client.responses, seen, server };
}

const ask = { model: "m", input: "Find a hat" };
const find = (word: string) => ({
  type: "function_call",
  name: "find",
  arguments: JSON.stringify({ word }),
  status: "completed",
});

t.test("a turn is the same response, streamed or whole", async (t) => {
  const { client } = await openClient(t, { turn: fullTurn }, { turn: fullTurn });
  const whole = await client.create(ask);
  const events: string[] = [];
  const stream = client.stream(ask);
  stream.on("event", ({ type }) => events.push(type));
  for (const response of [whole, await stream.finalResponse()]) {
    t.match(response, {
      status: "completed",
      output: [
        { type: "reasoning", summary: [{ text: "Two calls." }] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "I look." }] },
        find("hat"),
        find('ü "cap"'),
      ],
      output_text: "I look.",
      usage: {
        input_tokens: 10,
        input_tokens_details: { cached_tokens: 2 },
        output_tokens: 3,
        total_tokens: 13,
      },
    });
    const ids = response.output.flatMap((item) => item.type === "function_call" ? [item.call_id] : []);
    t.equal(new Set(ids).size, 2);
  }
  t.equal(events.at(0), "response.created");
  t.equal(events.at(-1), "response.completed");
  t.equal(events.filter((type) => type === "response.function_call_arguments.done").length, 2);
});

t.test("a request is read for what the model sees", async (t) => {
  const { client, seen } = await openClient(t, { turn: { text: "a" } });
  await client.create({
    model: "m",
    instructions: "Be",
    tools: [{
      type: "function",
      name: "find",
      description: "Finds",
      parameters: { type: "object" },
      strict: false,
    }],
    input: [
      { role: "developer", content: "kind" },
      { role: "user", content: [{ type: "input_text", text: "Find a hat" }] },
      { type: "function_call", call_id: "1", name: "find", arguments: "{}" },
      { type: "function_call_output", call_id: "1", output: "found" },
      { type: "function_call_output", call_id: "2", output: [{ type: "input_text", text: "unknown" }] },
    ],
  });
  t.strictSame(seen.map(({ body: _, ...request }) => request), [{
    model: "m",
    system: "Be\nkind",
    tools: [{ name: "find", description: "Finds", schema: { type: "object" } }],
    messages: [{ role: "system", text: "kind" }, { role: "user", text: "Find a hat" }],
    results: [{ id: "1", tool: "find", text: "found" }, { id: "2", tool: "", text: "unknown" }],
    stream: false,
  }]);
});

t.test("a request that continues an answer has all that was said before", async (t) => {
  const { client, seen } = await openClient(
    t,
    { turn: { calls: [{ id: "call_1", tool: "find" }] } },
    { turn: { text: "Found." } },
    { turn: { text: "Bye." } },
  );
  const first = await client.create(ask);
  const second = await client.create({
    model: "m",
    previous_response_id: first.id,
    input: [{ type: "function_call_output", call_id: "call_1", output: "a hat" }],
  });
  await client.create({ model: "m", previous_response_id: second.id, input: "Thanks", store: false });
  t.strictSame(seen.map(({ messages }) => messages.map(({ text }) => text)), [
    ["Find a hat"],
    ["Find a hat"],
    ["Find a hat", "Found.", "Thanks"],
  ]);
  t.strictSame(seen[2]?.results, [{ id: "call_1", tool: "find", text: "a hat" }]);
  await t.rejects(client.create({ ...ask, previous_response_id: "resp_none" }), {
    status: 400,
    message: /'resp_none' not found/,
  });
});

t.test("tools in a group and those that take a text are called as they were offered", async (t) => {
  const { seen, server } = await openClient(t, {
    turn: {
      calls: [
        { tool: "mcp__shop__find", input: { word: "hat" } },
        { tool: "patch", input: { input: "*** Begin" } },
      ],
    },
  });
  const tools = [
    { type: "namespace", name: "mcp__shop", tools: [{ type: "function", name: "find" }] },
    { type: "custom", name: "patch" },
    { type: "web_search" },
  ];
  const [status, text] = await post(`${server.url}/v1/responses`, JSON.stringify({ ...ask, tools }));
  t.equal(status, 200);
  t.match(seen, [{ tools: [{ name: "mcp__shop__find" }, { name: "patch" }] }]);
  t.match(text, '"type":"function_call"');
  t.match(text, '"name":"find","namespace":"mcp__shop","arguments":"{\\"word\\":\\"hat\\"}"');
});

t.test("a call that takes a text is streamed as one", async (t) => {
  const { client } = await openClient(t, {
    turn: { calls: [{ tool: "patch", input: { input: "*** Begin" } }] },
  });
  const events = await allOf(
    await client.create({ ...ask, tools: [{ type: "custom", name: "patch" }], stream: true }),
  );
  t.match(events.at(-1), {
    type: "response.completed",
    response: { output: [{ type: "custom_tool_call", name: "patch", input: "*** Begin" }] },
  });
  t.match(events.find(({ type }) => type === "response.custom_tool_call_input.delta"), {
    delta: "*** Begin",
  });
});

t.test("scripted errors arrive as the vendor's, and a refusal is repeated by no client", async (t) => {
  const { client, seen } = await openClient(
    t,
    { turn: { error: { status: 429, message: "slow", retry_after: 2 } } },
    { turn: { error: { status: 500, retry_after: 0 } } },
    { turn: { text: "a" } },
    { refused: "playbook: lane main has played all" },
  );
  const error = await client.create(ask).then(() => t.fail("no error"), (error) => error);
  t.ok(error instanceof OpenAI.RateLimitError);
  t.match(error, { message: /slow/, code: "rate_limit_exceeded" });
  t.equal(error.headers.get("retry-after"), "2");
  t.match(await client.create(ask, { maxRetries: 1 }), { output_text: "a" });
  await t.rejects(client.create(ask, { maxRetries: 3 }), {
    status: 400,
    message: /lane main has played all/,
  });
  t.equal(seen.length, 4);
});

t.test("a stream is cut, stalls, or brings an event that is no JSON", async (t) => {
  const { client } = await openClient(
    t,
    ...[brokenTurn("cut"), brokenTurn("malformed"), brokenTurn("cut"), brokenTurn("stall")],
  );
  await t.rejects(client.stream(ask).finalResponse(), "cut");
  await t.rejects(client.stream(ask).finalResponse(), "malformed");
  await t.rejects(client.create(ask), "cut, not streamed");
  const stalled = client.stream(ask);
  await new Promise<void>((resolve) => stalled.on("event", () => resolve()));
  stalled.abort();
  await t.rejects(stalled.finalResponse(), { message: /aborted/ });
});

t.test("what is no request is refused in the vendor's words", async (t) => {
  const { server } = await openClient(t);
  const url = `${server.url}/v1/responses`;
  t.match(await post(url, "{"), [400, /no JSON object.*"invalid_request_error"/]);
  t.match(await post(url, "{}"), [400, /parameter: 'model'/]);
  t.match(await post(url, '{"model":"m","input":[]}'), [400, /parameter: 'input'/]);
  t.match(await post(url, JSON.stringify({ ...ask, background: true })), [400, /'background' is not served/]);
});
