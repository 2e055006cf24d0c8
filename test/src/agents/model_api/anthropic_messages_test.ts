/** Anthropic's own client library on PTH's model. */
import Anthropic from "@anthropic-ai/sdk";
import t, { type Test } from "tap";
import type { ModelAnswer } from "../../../../src/agents/model_api/model_api.ts";
import { brokenTurn, fullTurn, openModel, post } from "./open_model.ts";

/** A client whose requests are answered with these, one after the other; it never asks again by itself. */
async function openClient(t: Test, ...answers: ModelAnswer[]) {
  const { seen, server } = await openModel(t, ...answers);
  const client = new Anthropic({ baseURL: server.url, apiKey: "none", authToken: null, maxRetries: 0 });
  return { client, seen, server };
}

const ask = { model: "m", max_tokens: 100, messages: [{ role: "user" as const, content: "Find a hat" }] };
const answered = { turn: fullTurn };
const content = [
  { type: "thinking", thinking: "Two calls." },
  { type: "text", text: "I look." },
  { type: "tool_use", name: "find", input: { word: "hat" } },
  { type: "tool_use", name: "find", input: { word: 'ü "cap"' } },
];
const usage = {
  input_tokens: 7,
  output_tokens: 3,
  cache_read_input_tokens: 2,
  cache_creation_input_tokens: 1,
};

t.test("a turn is the same message, streamed or whole", async (t) => {
  const { client } = await openClient(t, answered, answered);
  const whole = await client.messages.create(ask);
  const streamed = await client.messages.stream(ask).finalMessage();
  for (const message of [whole, streamed]) {
    t.match(message, { role: "assistant", model: "m", content, stop_reason: "tool_use", usage });
    const ids = message.content.flatMap((block) => block.type === "tool_use" ? [block.id] : []);
    t.equal(new Set(ids).size, 2);
  }
});

t.test("a text without calls ends the conversation, also an empty one", async (t) => {
  const { client } = await openClient(t, { turn: { text: "Done." } }, { turn: { text: "" } });
  t.match(await client.messages.create(ask), { content: [{ text: "Done." }], stop_reason: "end_turn" });
  t.match(await client.messages.stream(ask).finalMessage(), { content: [{ text: "" }] });
});

t.test("a request is read for what the model sees", async (t) => {
  const { client, seen } = await openClient(t, { turn: { text: "a" } });
  await client.messages.create({
    ...ask,
    system: [{ type: "text", text: "Be" }, { type: "text", text: "kind" }],
    tools: [{ name: "find", description: "Finds", input_schema: { type: "object" } }],
    messages: [
      ...ask.messages,
      { role: "assistant", content: [{ type: "tool_use", id: "1", name: "find", input: {} }] },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "1",
            is_error: true,
            content: [{ type: "text", text: "none" }],
          },
          { type: "text", text: "Go on" },
        ],
      },
    ],
  }, { headers: { "x-claude-code-agent-id": "a1" } });
  t.match(seen, [{
    system: "Be\nkind",
    agent: "a1",
    stream: false,
    tools: [{ name: "find", description: "Finds", schema: { type: "object" } }],
    messages: [{ role: "user", text: "Find a hat" }, { role: "assistant", text: "" }, {
      role: "user",
      text: "Go on",
    }],
    results: [{ id: "1", tool: "find", text: "none", isError: true }],
  }]);
});

t.test("tokens are counted without a turn", async (t) => {
  const { client, seen } = await openClient(t);
  const { model, messages } = ask;
  t.ok((await client.messages.countTokens({ model, messages })).input_tokens > 10);
  t.strictSame(seen, []);
});

t.test("scripted errors arrive as the vendor's", async (t) => {
  for (
    const [status, kind] of [
      [400, Anthropic.BadRequestError],
      [401, Anthropic.AuthenticationError],
      [429, Anthropic.RateLimitError],
      [500, Anthropic.InternalServerError],
      [529, Anthropic.InternalServerError],
    ] as const
  ) {
    const { client } = await openClient(t, { turn: { error: { status, message: "slow", retry_after: 2 } } });
    const error = await client.messages.create(ask).then(() => t.fail("no error"), (error) => error);
    t.ok(error instanceof kind, `${status}`);
    t.equal(error.status, status);
    t.match(error.message, "slow");
    t.equal(error.headers.get("retry-after"), "2");
  }
});

t.test("the vendor's client tries again after an overload, and takes the next turn", async (t) => {
  const { client, seen } = await openClient(
    t,
    { turn: { error: { status: 529, retry_after: 0 } } },
    { turn: { text: "a" } },
  );
  t.match(await client.messages.create(ask, { maxRetries: 1 }), { content: [{ text: "a" }] });
  t.equal(seen.length, 2);
});

t.test("a refusal is an error that no client repeats", async (t) => {
  const { client, seen } = await openClient(t, { refused: "playbook: lane main has played all" });
  await t.rejects(client.messages.create(ask, { maxRetries: 3 }), {
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
  await t.rejects(client.messages.stream(ask).finalMessage(), "cut");
  await t.rejects(client.messages.stream(ask).finalMessage(), "malformed");
  await t.rejects(client.messages.create(ask), "cut, not streamed");
  const stalled = client.messages.stream(ask);
  const begun = new Promise<void>((resolve) => stalled.on("streamEvent", () => resolve()));
  await begun;
  stalled.abort();
  await t.rejects(stalled.finalMessage(), Anthropic.APIUserAbortError);
});

t.test("twenty requests at once are answered each, and a server that closes drops those that wait", async (t) => {
  const many = Array.from({ length: 20 }, (_, at) => ({ turn: { text: String(at), delay_ms: 10 } }));
  const { client, server } = await openClient(t, ...many, { turn: { text: "late", delay_ms: 600_000 } });
  const texts = await Promise.all(many.map(async () => {
    const [block] = (await client.messages.create(ask)).content;
    return block?.type === "text" ? Number(block.text) : -1;
  }));
  t.strictSame(texts.sort((a, b) => a - b), many.map((_, at) => at));
  const late = t.rejects(client.messages.create(ask));
  await client.messages.countTokens({ model: "m", messages: ask.messages });
  await server.close();
  await late;
});

t.test("what is no request is refused in the vendor's words", async (t) => {
  const { server } = await openClient(t);
  t.match(await post(`${server.url}/v1/messages`, "{"), [400, /"invalid_request_error".*no JSON object/]);
  t.match(await post(`${server.url}/v1/messages`, "{}"), [400, /model: a string is required/]);
  t.match(await post(`${server.url}/v1/messages`, '{"model":"m","messages":[]}'), [
    400,
    /at least one message/,
  ]);
  t.match(await post(`${server.url}/v1/unknown`, "{}"), [404]);
  t.equal((await fetch(server.url, { method: "HEAD" })).status, 200);
});
