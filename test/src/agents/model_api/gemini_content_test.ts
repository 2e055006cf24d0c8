/** Google's own client library on PTH's Gemini. */
import { ApiError, GoogleGenAI } from "@google/genai";
import t, { type Test } from "tap";
import type { ModelAnswer } from "../../../../src/agents/model_api/model_api.ts";
import { allOf, brokenTurn, fullTurn, openModel, post } from "./open_model.ts";

/** A client whose requests are answered with these, one after the other. */
async function openClient(t: Test, ...answers: ModelAnswer[]) {
  const { seen, server } = await openModel(t, ...answers);
  const client = new GoogleGenAI({ apiKey: "none", vertexai: false, httpOptions: { baseUrl: server.url } });
  return { client: client.models, seen, server };
}

const ask = { model: "m", contents: "Find a hat" };
const parts = [
  { text: "Two calls.", thought: true },
  { text: "I look." },
  { functionCall: { name: "find", args: { word: "hat" } } },
  { functionCall: { name: "find", args: { word: 'ü "cap"' } } },
];
const usage = {
  promptTokenCount: 10,
  cachedContentTokenCount: 2,
  candidatesTokenCount: 3,
  totalTokenCount: 13,
};

t.test("a turn is the same content, streamed or whole", async (t) => {
  const { client } = await openClient(t, { turn: fullTurn }, { turn: fullTurn });
  const whole = await client.generateContent(ask);
  t.match(whole, { modelVersion: "m", candidates: [{ content: { role: "model", parts } }] });
  t.match(whole, { usageMetadata: usage, candidates: [{ finishReason: "STOP" }] });
  t.equal(new Set(whole.functionCalls?.map(({ id }) => id)).size, 2);
  const chunks = await allOf(await client.generateContentStream(ask));
  t.match(chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []), [...parts, {
    text: "",
  }]);
  t.match(chunks.at(-1), { usageMetadata: usage, candidates: [{ finishReason: "STOP" }] });
});

t.test("a stream that is not asked for as events is a list", async (t) => {
  const { server } = await openClient(t, { turn: { text: "Done." } });
  const body = JSON.stringify({ contents: [{ role: "user", parts: [{ text: "go" }] }] });
  const response = await fetch(`${server.url}/v1beta/models/m:streamGenerateContent`, {
    method: "POST",
    body,
  });
  t.match(await response.json(), [
    { candidates: [{ content: { parts: [{ text: "Done." }] } }] },
    { candidates: [{ finishReason: "STOP" }] },
  ]);
});

t.test("a request is read for what the model sees", async (t) => {
  const { client, seen } = await openClient(t, { turn: { text: "a" } });
  const response = (name: string, response: Record<string, unknown>, id?: string) => ({
    functionResponse: { name, response, ...(id === undefined ? {} : { id }) },
  });
  await client.generateContent({
    model: "m",
    config: {
      systemInstruction: "Be kind",
      tools: [{
        functionDeclarations: [
          { name: "find", description: "Finds", parametersJsonSchema: { type: "object" } },
          { name: "buy" },
        ],
      }],
    },
    contents: [
      { role: "user", parts: [{ text: "Find" }, { text: "a hat" }] },
      {
        role: "model",
        parts: [{ text: "secret", thought: true }, { functionCall: { name: "find", args: {} } }],
      },
      {
        role: "user",
        parts: [
          response("find", { output: "found" }, "7"),
          response("buy", { error: "sold" }),
          response("sell", { price: 3 }),
          response("tell", { content: [{ type: "text", text: "no" }], isError: true }),
        ],
      },
    ],
  });
  t.strictSame(seen.map(({ body: _, ...request }) => request), [{
    model: "m",
    system: "Be kind",
    tools: [{ name: "find", description: "Finds", schema: { type: "object" } }, { name: "buy" }],
    messages: [{ role: "user", text: "Find\na hat" }, { role: "assistant", text: "" }, {
      role: "user",
      text: "",
    }],
    results: [
      { id: "7", tool: "find", text: "found", isError: false },
      { tool: "buy", text: "sold", isError: true },
      { tool: "sell", text: '{"price":3}', isError: false },
      { tool: "tell", text: "no", isError: true },
    ],
    stream: false,
  }]);
});

t.test("tokens are counted without a turn", async (t) => {
  const { client, seen } = await openClient(t);
  t.ok((await client.countTokens(ask)).totalTokens! > 10);
  t.strictSame(seen, []);
});

t.test("scripted errors and refusals arrive as the vendor's", async (t) => {
  for (const [status, name] of [[429, "RESOURCE_EXHAUSTED"], [500, "INTERNAL"]] as const) {
    const { client } = await openClient(t, { turn: { error: { status, message: "slow", retry_after: 2 } } });
    const error = await client.generateContent(ask).then(() => t.fail("no error"), (error) => error);
    t.ok(error instanceof ApiError);
    t.equal(error.status, status);
    for (const part of ["slow", name, '"retryDelay":"2s"']) t.match(error.message, part);
  }
  const { client, seen } = await openClient(t, { refused: "playbook: lane main has played all" });
  await t.rejects(client.generateContent(ask), { status: 400, message: /lane main has played all/ });
  t.equal(seen.length, 1);
});

t.test("a client that tries again takes the next turn", async (t) => {
  const { client, seen } = await openClient(
    t,
    { turn: { error: { status: 503, retry_after: 0 } } },
    { turn: { text: "a" } },
  );
  const retried = { ...ask, config: { httpOptions: { retryOptions: { attempts: 2 } } } };
  t.equal((await client.generateContent(retried)).text, "a");
  t.equal(seen.length, 2);
});

t.test("a stream is cut, stalls, or brings an event that is no JSON", async (t) => {
  const { client } = await openClient(
    t,
    ...[brokenTurn("cut"), brokenTurn("malformed"), brokenTurn("cut"), brokenTurn("stall")],
  );
  const all = async () => await allOf(await client.generateContentStream(ask));
  await t.rejects(all(), "cut");
  await t.rejects(all(), "malformed");
  await t.rejects(client.generateContent(ask), "cut, not streamed");
  const leave = new AbortController();
  const stalled = await client.generateContentStream({ ...ask, config: { abortSignal: leave.signal } });
  t.match((await stalled.next()).value, { candidates: [{ content: { parts: [{ text: "Two calls." }] } }] });
  leave.abort();
  await t.rejects(allOf(stalled));
});

t.test("what is no request is refused in the vendor's words", async (t) => {
  const { server } = await openClient(t);
  const url = `${server.url}/v1beta/models/m:generateContent`;
  t.match(await post(url, "{"), [400, /Invalid JSON payload.*INVALID_ARGUMENT/]);
  t.match(await post(url, "{}"), [400, /contents is not specified/]);
  t.match(await post(`${server.url}/v1beta/models/m:embedContent`, "{}"), [404]);
});
