/** OpenAI's own client library on PTH's Chat Completions. */
import OpenAI from "openai";
import t, { type Test } from "tap";
import type { ModelAnswer } from "../../../../src/agents/model_api/model_api.ts";
import { allOf, brokenTurn, fullTurn, openModel, post } from "./open_model.ts";

/** A client whose requests are answered with these, one after the other; it never asks again by itself. */
async function openClient(t: Test, ...answers: ModelAnswer[]) {
  const { seen, server } = await openModel(t, ...answers);
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none", maxRetries: 0, logLevel: "off" });
  return { client: client.chat.completions, seen, server };
}

const ask = { model: "m", messages: [{ role: "user" as const, content: "Find a hat" }] };
const asked = { ...ask, stream_options: { include_usage: true } };
const find = (word: string) => ({
  type: "function",
  function: { name: "find", arguments: JSON.stringify({ word }) },
});
const usage = {
  prompt_tokens: 10,
  completion_tokens: 3,
  total_tokens: 13,
  prompt_tokens_details: { cached_tokens: 2 },
};

t.test("a turn is the same completion, streamed or whole", async (t) => {
  const { client } = await openClient(t, { turn: fullTurn }, { turn: fullTurn });
  const whole = await client.create(ask);
  const streamed = await client.stream(asked).finalChatCompletion();
  for (const completion of [whole, streamed]) {
    t.match(completion, { model: "m", object: "chat.completion", usage });
    const [choice] = completion.choices;
    t.match(choice, {
      message: { role: "assistant", content: "I look.", tool_calls: [find("hat"), find('ü "cap"')] },
      finish_reason: "tool_calls",
    });
    t.match(choice?.message, { reasoning_content: "Two calls." });
    t.equal(new Set(choice?.message.tool_calls?.map(({ id }) => id)).size, 2);
  }
});

t.test("a stream that does not ask for usage has none, and ends as the vendor's", async (t) => {
  const { client, server } = await openClient(t, { turn: { text: "Done." } }, { turn: { text: "" } });
  const chunks = await allOf(await client.create({ ...ask, stream: true }));
  t.match(chunks.map(({ choices }) => choices.length), [1, 1, 1]);
  t.equal(chunks.at(-1)?.choices[0]?.finish_reason, "stop");
  const [, text] = await post(`${server.url}/v1/chat/completions`, JSON.stringify({ ...ask, stream: true }));
  t.match(text, /^data: \{/);
});

t.test("calls have the ids that the turn gives them", async (t) => {
  const { client } = await openClient(t, { turn: { calls: [{ id: "call_7", tool: "find" }] } });
  t.match(await client.create(ask), {
    choices: [{
      message: { content: null, tool_calls: [{ id: "call_7", function: { name: "find", arguments: "{}" } }] },
    }],
  });
});

t.test("a request is read for what the model sees", async (t) => {
  const { client, seen } = await openClient(t, { turn: { text: "a" } });
  await client.create({
    model: "m",
    tools: [{
      type: "function",
      function: { name: "find", description: "Finds", parameters: { type: "object" } },
    }],
    messages: [
      { role: "system", content: "Be" },
      { role: "developer", content: [{ type: "text", text: "kind" }] },
      { role: "user", content: [{ type: "text", text: "Find" }, { type: "text", text: "a hat" }] },
      {
        role: "assistant",
        content: "I look.",
        tool_calls: [
          { id: "1", type: "function", function: { name: "find", arguments: "{}" } },
          { id: "2", type: "function", function: { name: "buy", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "2", content: "bought" },
      { role: "tool", tool_call_id: "1", content: [{ type: "text", text: "found" }] },
    ],
  });
  t.strictSame(seen.map(({ body: _, ...request }) => request), [{
    model: "m",
    system: "Be\nkind",
    tools: [{ name: "find", description: "Finds", schema: { type: "object" } }],
    messages: [
      { role: "system", text: "Be" },
      { role: "system", text: "kind" },
      { role: "user", text: "Find\na hat" },
      { role: "assistant", text: "I look." },
    ],
    results: [{ id: "2", tool: "buy", text: "bought" }, { id: "1", tool: "find", text: "found" }],
    stream: false,
  }]);
});

t.test("scripted errors arrive as the vendor's, and a repeated request takes the next turn", async (t) => {
  for (
    const [status, kind] of [
      [400, OpenAI.BadRequestError],
      [401, OpenAI.AuthenticationError],
      [429, OpenAI.RateLimitError],
      [500, OpenAI.InternalServerError],
    ] as const
  ) {
    const { client, seen } = await openClient(
      t,
      { turn: { error: { status, message: "slow", retry_after: 2 } } },
      { turn: { error: { status: 429, retry_after: 0 } } },
      { turn: { text: "a" } },
    );
    const error = await client.create(ask).then(() => t.fail("no error"), (error) => error);
    t.ok(error instanceof kind, `${status}`);
    t.match(error, { status, message: /slow/ });
    t.equal(error.headers.get("retry-after"), "2");
    t.match(await client.create(ask, { maxRetries: 1 }), { choices: [{ message: { content: "a" } }] });
    t.equal(seen.length, 3);
  }
});

t.test("a refusal is an error that no client repeats", async (t) => {
  const { client, seen } = await openClient(t, { refused: "playbook: lane main has played all" });
  await t.rejects(client.create(ask, { maxRetries: 3 }), {
    status: 400,
    message: /lane main has played all/,
  });
  t.equal(seen.length, 1);
});

t.test("a stream is cut, stalls, or brings an event that is no JSON", async (t) => {
  const { client } = await openClient(
    t,
    ...[brokenTurn("cut"), brokenTurn("malformed"), brokenTurn("cut"), brokenTurn("stall")],
  );
  await t.rejects(client.stream(ask).finalChatCompletion(), "cut");
  await t.rejects(client.stream(ask).finalChatCompletion(), "malformed");
  await t.rejects(client.create(ask), "cut, not streamed");
  const stalled = client.stream(ask);
  await new Promise<void>((resolve) => stalled.on("chunk", () => resolve()));
  stalled.abort();
  await t.rejects(stalled.finalChatCompletion(), { message: /aborted/ });
});

t.test("what is no request is refused in the vendor's words", async (t) => {
  const { server } = await openClient(t);
  const url = `${server.url}/v1/chat/completions`;
  t.match(await post(url, "{"), [400, /no JSON object.*"invalid_request_error"/]);
  t.match(await post(url, "{}"), [400, /provide a model parameter/]);
  t.match(await post(url, '{"model":"m","messages":[]}'), [400, /at least one message/]);
  t.match(await post(`${server.url}/v1/completions`, "{}"), [404]);
});
