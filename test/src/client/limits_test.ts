import t from "tap";
import { boundedFetch } from "../../../src/client/bounded_fetch.ts";
import { createJsonGauge, jsonExcess } from "../../../src/client/json_gauge.ts";
import { listTools } from "../../../src/client/list_tools.ts";
import { buildOutcome, contentProblems } from "../../../src/client/outcome.ts";
import { serveOnLoopback } from "../../../src/platform/http_server.ts";

t.test("a message is measured before it is parsed: levels, members, and nothing within texts", (t) => {
  t.match(jsonExcess("[".repeat(5_000_000)), "over 500 nested levels");
  t.match(jsonExcess(`${'{"a":'.repeat(600)}1${"}".repeat(600)}`), "over 500 nested levels");
  t.match(jsonExcess(`[${"1,".repeat(1_000_001)}1]`), "over 1,000,000 members");
  t.equal(
    jsonExcess(JSON.stringify({ text: "[".repeat(10_000), end: ["\\", '"', '\\"['.repeat(900)] })),
    undefined,
  );
  t.equal(jsonExcess("no json ".repeat(1000)), undefined);
  t.equal(jsonExcess(`"${"x".repeat(1000)}`), undefined);
  t.end();
});

t.test("a message in pieces is measured as the whole", (t) => {
  const text = JSON.stringify({ a: ["\\\\", '\\"', "[".repeat(600), '"'], b: "[".repeat(600) });
  for (const size of [1, 2, 3, 7]) {
    const gauge = createJsonGauge();
    for (let at = 0; at < text.length; at += size) t.equal(gauge.push(text.slice(at, at + size)), undefined);
    t.match(gauge.push(`,${"[".repeat(600)}`), "levels");
  }
  t.end();
});

const page = (names: string[], nextCursor?: string) => ({
  tools: names.map((name) => ({ name })),
  nextCursor,
});
/** A peer that answers each request with what comes next. */
const peerOf = (next: (asked: number) => unknown, { bytes = 100, ms = 0 } = {}) => {
  let asked = 0;
  return {
    asked: () => asked,
    async request() {
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
      const result = next(asked++);
      return { result, raw: {}, problems: [], bytes, durationMs: 1 };
    },
  };
};
const limits = { pages: 10, tools: 50, bytes: 5_000 };

t.test("all pages of tools/list have one limit: number, tools, bytes, time", async (t) => {
  t.equal(
    (await listTools(peerOf((n) => page([`t${n}`], n < 3 ? `c${n}` : undefined)), 1000, limits)).length,
    4,
  );
  const code = "PROTOCOL_VIOLATION";
  const endless = peerOf((n) => page(["a"], `c${n}`));
  await t.rejects(listTools(endless, 1000, limits), { code, message: /pages never end: there are over 10/ });
  t.equal(endless.asked(), 10);
  await t.rejects(listTools(peerOf(() => page(["a"], "same")), 1000, limits), {
    code,
    message: /"same" came again/,
  });
  const long = "c".repeat(100_000);
  const wordy = await listTools(peerOf(() => page(["a"], long)), 1000, limits).catch((error: Error) =>
    error.message
  );
  t.ok(wordy.length < 1000);
  const many = Array.from({ length: 60 }, (_, n) => `t${n}`);
  await t.rejects(listTools(peerOf(() => page(many)), 1000, limits), { code, message: /over 50 tools/ });
  await t.rejects(listTools(peerOf((n) => page(["a"], `c${n}`), { bytes: 2_000 }), 1000, limits), {
    code,
    message: /over 5000 bytes together/,
  });
  await t.rejects(listTools(peerOf((n) => page(["a"], `c${n}`), { ms: 30 }), 100, limits), {
    code: "SERVER_SILENT",
    message: /pages? so far, and more than 0.1 s for all/,
  });
});

t.test("items of content that are none of the protocol's are told, those that are pass", (t) => {
  t.same(
    contentProblems([
      { type: "text", text: "" },
      { type: "image", data: "", mimeType: "image/png" },
      { type: "audio", data: "", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "a:b", text: "" } },
      { type: "resource_link", uri: "a:b", name: "b" },
    ]),
    [],
  );
  t.same(contentProblems(["hello", null, [], { text: "a" }]), [
    "content[0] is a string, not an object",
    "content[1] is null, not an object",
    "content[2] is a list, not an object",
    'content[3] has no "type"',
  ]);
  t.match(
    contentProblems([{ type: "video" }, { type: "text" }, { type: "text", text: 7 }, { type: "__proto__" }]),
    [
      /unknown type "video"/,
      /"text" is missing/,
      /"text" is no string/,
      /unknown type/,
    ],
  );
  t.equal(contentProblems(Array.from({ length: 1000 }, () => 1)).length, 6);
  const answer = { result: { content: [{ type: "text" }] }, raw: {}, problems: [], durationMs: 1 };
  t.match(buildOutcome(answer, undefined).violations, [{ kind: "malformed", message: /content\[0\]/ }]);
  t.end();
});

t.test("an answer over HTTP that is too deep breaks off; others come whole, with their address", async (t) => {
  const deep = "[".repeat(100_000);
  const bodies: Record<string, [type: string, body: string]> = {
    "/deep": ["application/json", deep],
    "/events": ["text/event-stream", `data: {"a":"["}\n\ndata: ${deep}\n\n`],
    "/fine": ["text/event-stream", `data: ${"[".repeat(400)}\n\ndata: ${"[".repeat(400)}\n\n`],
  };
  const server = await serveOnLoopback(({ path }) => {
    const [type, body] = bodies[path]!;
    return Promise.resolve({ status: 200, headers: { "content-type": type }, body });
  });
  t.teardown(() => server.close());
  for (const path of ["/deep", "/events"]) {
    await t.rejects(
      (async () => await (await boundedFetch(`http://127.0.0.1:${server.port}${path}`)).text())(),
      /levels/,
    );
  }
  const fine = await boundedFetch(`http://127.0.0.1:${server.port}/fine`);
  t.equal(new URL(fine.url).pathname, "/fine");
  t.equal((await fine.text()).length, bodies["/fine"]![1].length);
});
