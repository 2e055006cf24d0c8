/** Requests passed on to a real model API: the agent has its answer as it came, and PTH has read it. */
import { createServer, type Server, type ServerResponse } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import t, { type Test } from "tap";
import type { ModelAnswer } from "../../../../src/agents/model_api/model_api.ts";
import { serveModel } from "../../../../src/agents/model_api/serve_model.ts";
import { addressOf, openUpstream, type UpstreamAnswer } from "../../../../src/agents/model_api/upstream.ts";
import { brokenTurn, fullTurn, openModel } from "./open_model.ts";

/** A model that passes everything on to an address, and what it heard. */
async function openPassing(t: Test, url: string, key?: string) {
  const heard: UpstreamAnswer[] = [];
  const upstream = openUpstream(url, key);
  const server = await serveModel(() =>
    Promise.resolve({ passOn: { upstream, heard: (answer: UpstreamAnswer) => void heard.push(answer) } })
  );
  t.teardown(() => server.close());
  return { heard, url: server.url };
}

/** A vendor of the test's own; tells the headers and paths that it was asked with. */
async function openVendor(t: Test, answer: (response: ServerResponse, body: string) => void) {
  const asked: { path: string; headers: Record<string, unknown>; body: string }[] = [];
  const server: Server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text) => body += text).on("end", () => {
      asked.push({ path: request.url!, headers: request.headers, body });
      answer(response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, asked };
}

const messages = [{ role: "user", content: "Find a hat" }];
const contents = [{ role: "user", parts: [{ text: "Find a hat" }] }];
const chatPath = "/v1/chat/completions";
/** Each way to ask, with the key's header. */
const ways: [name: string, path: string, body: object, header: string][] = [
  ["messages", "/v1/messages?beta=true", { model: "m", messages, max_tokens: 9 }, "x-api-key"],
  ["messages, streamed", "/v1/messages", { model: "m", messages, stream: true }, "x-api-key"],
  ["chat", chatPath, { model: "m", messages }, "authorization"],
  [
    "chat, streamed",
    chatPath,
    { model: "m", messages, stream: true, stream_options: { include_usage: true } },
    "authorization",
  ],
  ["responses", "/v1/responses", { model: "m", input: "Find a hat" }, "authorization"],
  [
    "responses, streamed",
    "/v1/responses",
    { model: "m", input: "Find a hat", stream: true },
    "authorization",
  ],
  ["gemini", "/v1beta/models/m:generateContent", { contents }, "x-goog-api-key"],
  ["gemini, events", "/v1beta/models/m:streamGenerateContent?alt=sse", { contents }, "x-goog-api-key"],
  ["gemini, list", "/v1beta/models/m:streamGenerateContent", { contents }, "x-goog-api-key"],
];

const post = (url: string, body: object, headers: Record<string, string> = {}) =>
  fetch(url, { method: "POST", body: JSON.stringify(body), headers });

const turnIn = (answer: UpstreamAnswer | undefined) =>
  answer !== undefined && "turn" in answer ? answer.turn : undefined;

t.test("each API's answer, whole and streamed, reaches the agent unchanged and is read into its turn", async (t) => {
  for (const [name, path, body] of ways) {
    const vendor = await openModel(t, { turn: fullTurn }, { turn: fullTurn });
    const passing = await openPassing(t, vendor.server.url);
    const direct = await (await post(`${vendor.server.url}${path}`, body)).text();
    const passed = await post(`${passing.url}${path}`, body);
    t.equal(passed.status, 200, name);
    // Ids are numbered on.
    const plain = (text: string) => text.replaceAll(/_\d{8}/g, "_0");
    t.equal(plain(await passed.text()), plain(direct), name);
    const turn = turnIn(passing.heard[0]);
    const { calls, usage, ...said } = turn ?? {};
    t.strictSame(said, { thinking: "Two calls.", text: "I look." }, name);
    t.strictSame(calls?.map(({ tool, input }) => ({ tool, input })), fullTurn.calls, name);
    t.ok(name.startsWith("gemini") || calls?.every(({ id }) => id !== undefined), `${name}: calls have ids`);
    t.equal((usage?.input_tokens ?? 0) + (usage?.cache_write_tokens ?? 0), 8, name);
    t.match(usage, { output_tokens: 3, cache_read_tokens: 2 }, name);
    t.match(passing.heard, [{ notes: [] }], name);
    t.equal(passing.heard.length, 1, name);
  }
});

t.test("the agent's own keys stay behind, and the upstream's is sent as the API wants it", async (t) => {
  const vendor = await openVendor(t, (response) => response.writeHead(401).end('{"error":{"message":"no"}}'));
  const { url } = await openPassing(t, vendor.url, "sk-real");
  const own = {
    "x-api-key": "none",
    authorization: "Bearer none",
    "x-goog-api-key": "none",
    "x-other": "kept",
  };
  for (const [, path, body] of ways) await (await post(`${url}${path}`, body, own)).text();
  for (const [index, [name, , , header]] of ways.entries()) {
    const { headers } = vendor.asked[index]!;
    t.equal(headers[header], header === "authorization" ? "Bearer sk-real" : "sk-real", name);
    t.notOk(Object.values(headers).some((value) => String(value).includes("none")), name);
    t.equal(headers["x-other"], "kept", name);
  }
  t.equal(vendor.asked[0]!.path, "/v1/messages?beta=true");
});

t.test("a stream passes while it comes, and where it is cut the agent and the turn are cut, too", async (t) => {
  for (const [name, path, body] of ways.filter(([name]) => /streamed|events/.test(name))) {
    const vendor = await openModel(t, brokenTurn("cut"));
    const passing = await openPassing(t, vendor.server.url);
    const response = await post(`${passing.url}${path}`, body);
    await t.rejects(response.text(), name);
    t.match(turnIn(passing.heard[0]), { error: { stream: "cut" }, thinking: "Two calls." }, name);
    t.match(passing.heard, [{ notes: [/broke off/] }], name);
  }
  let go = () => {};
  const vendor = await openVendor(t, (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write('data: {"choices":[{"delta":{"content":"fi"}}]}\n\n');
    go = () => response.end('data: {"choices":[{"delta":{"content":"sh"},"finish_reason":"stop"}]}\n\n');
  });
  const passing = await openPassing(t, vendor.url);
  const reader = (await post(`${passing.url}${chatPath}`, { model: "m", messages })).body!.getReader();
  t.match(new TextDecoder().decode((await reader.read()).value), "fi");
  t.strictSame(passing.heard, [], "the answer has not ended yet");
  go();
  for (let done = false; !done;) ({ done } = await reader.read());
  t.strictSame(turnIn(passing.heard[0]), { text: "fish" });
});

t.test("thoughts of Gemini count as output, as it counts them beside the answer", async (t) => {
  const vendor = await openVendor(
    t,
    (response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({
        candidates: [{ content: { role: "model", parts: [{ text: "fish" }] }, finishReason: "STOP" }],
        usageMetadata: { promptTokenCount: 8, candidatesTokenCount: 2, thoughtsTokenCount: 90 },
      })),
  );
  const { url, heard } = await openPassing(t, vendor.url);
  await (await post(`${url}/v1beta/models/m:generateContent`, { contents })).text();
  t.strictSame(turnIn(heard[0])?.usage, { input_tokens: 8, output_tokens: 92 });
});

t.test("compressed answers are read, and reach the agent without compression", async (t) => {
  const text = JSON.stringify({ choices: [{ message: { content: "packed" }, finish_reason: "stop" }] });
  const packs: [string, (text: string) => Uint8Array][] = [
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ];
  for (const [encoding, pack] of packs) {
    const vendor = await openVendor(
      t,
      (response) =>
        response.writeHead(200, { "content-encoding": encoding, "content-type": "application/json" })
          .end(pack(text)),
    );
    const passing = await openPassing(t, vendor.url);
    const response = await post(`${passing.url}${chatPath}`, { model: "m", messages });
    t.equal(await response.text(), text, encoding);
    t.strictSame(turnIn(passing.heard[0]), { text: "packed" }, encoding);
  }
});

t.test("errors of the model are turns that repeat them", async (t) => {
  const answers: ModelAnswer[] = [
    { turn: { error: { status: 429, retry_after: 7, message: "slow down" } } },
    { turn: { error: { status: 529, message: "busy" } } },
  ];
  for (const [name, path, body] of ways) {
    const vendor = await openModel(t, ...answers);
    const passing = await openPassing(t, vendor.server.url);
    const first = await post(`${passing.url}${path}`, body);
    t.equal(first.status, 429, name);
    t.equal(first.headers.get("retry-after"), "7", name);
    await first.text();
    await (await post(`${passing.url}${path}`, body)).text();
    t.strictSame(passing.heard.map(turnIn), [
      { error: { status: 429, message: "slow down", retry_after: 7 } },
      { error: { status: 529, message: "busy" } },
    ], name);
  }
});

t.test("what is no model is told as what it is, and the agent is refused", async (t) => {
  const page = await openVendor(t, (response) => response.writeHead(200).end("<html>Welcome"));
  const moved = await openVendor(
    t,
    (response) => response.writeHead(308, { location: "https://elsewhere.test/" }).end(),
  );
  const leaving = await openVendor(t, (response) => response.destroy());
  const odd = await openVendor(
    t,
    (response) => response.writeHead(200, { "content-encoding": "rot13" }).end("?"),
  );
  const cases: [string, RegExp, number][] = [
    ["http://127.0.0.1:1", /127.0.0.1:1 cannot be reached: .*(?:refused|ECONNREFUSED)/i, 400],
    [moved.url, /answers with status 308 to https:\/\/elsewhere.test\/, where the key is not sent/, 400],
    [leaving.url, /cannot be reached/, 400],
    [page.url, /answers with <html>Welcome/, 200],
  ];
  for (const [url, words, status] of cases) {
    const passing = await openPassing(t, url, "sk-real");
    const response = await post(`${passing.url}${chatPath}`, { model: "m", messages });
    await response.text();
    t.equal(response.status, status, url);
    t.match(passing.heard, [{ failed: words }], url);
  }
  const passing = await openPassing(t, odd.url);
  const response = await post(`${passing.url}${chatPath}`, { model: "m", messages });
  await t.rejects(response.text());
  t.match(passing.heard, [{ failed: /compression is not known: rot13/ }]);
});

t.test("answers of the Responses API can be continued by their ids", async (t) => {
  const calls = [{ id: "call_9", tool: "find", input: {} }];
  const vendor = await openModel(t, { turn: { calls } }, { turn: { text: "Done." } });
  const upstream = openUpstream(vendor.server.url);
  const results: unknown[] = [];
  const server = await serveModel((request) => {
    results.push(request.results);
    return Promise.resolve({ passOn: { upstream, heard() {} } });
  });
  t.teardown(() => server.close());
  const first = await (await post(`${server.url}/v1/responses`, { model: "m", input: "go" })).json();
  const input = [{ type: "function_call_output", call_id: "call_9", output: "a hat" }];
  const body = { model: "m", input, previous_response_id: first.id };
  t.match(await (await post(`${server.url}/v1/responses`, body)).json(), { status: "completed" });
  t.strictSame(results, [[], [{ id: "call_9", tool: "find", text: "a hat" }]]);
});

t.test("addresses are joined once, without the agent's key, and those with keys are refused", (t) => {
  const joined = (upstream: string, path: string) => addressOf(upstream, path).href;
  t.equal(joined("https://a.test", "/v1/messages?beta=true"), "https://a.test/v1/messages?beta=true");
  t.equal(joined("https://a.test/v1/", "/v1/messages"), "https://a.test/v1/messages");
  t.equal(joined("https://a.test/api/v1", "/v1/responses"), "https://a.test/api/v1/responses");
  t.equal(
    joined("https://a.test", "/v1beta/models/m:x?key=none&alt=sse"),
    "https://a.test/v1beta/models/m:x?alt=sse",
  );
  for (const url of ["a.test", "ftp://a.test", "https://u:p@a.test", "https://a.test?key=sk-1"]) {
    t.throws(() => openUpstream(url), { code: "INVALID_INPUT" }, url);
  }
  t.end();
});
