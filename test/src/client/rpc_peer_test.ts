import t from "tap";
import { createCapture } from "../../../src/client/capture.ts";
import { createRpcPeer, type Peer } from "../../../src/client/rpc_peer.ts";
import { PthError } from "../../../src/core/errors.ts";
import type { MessageListener, MessageTransport } from "../../../src/client/rpc_message.ts";

type Sent = {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: unknown;
};

/** A peer over a wire that remembers what was sent and whose answers the test gives. */
async function peerWithWire(): Promise<
  { peer: Peer; sent: Sent[]; wire: MessageListener; captured: () => number }
> {
  const sent: Sent[] = [];
  let listener: MessageListener;
  const capture = createCapture();
  const wire: MessageTransport = {
    start: (to) => Promise.resolve(void (listener = to)),
    send: (message) => void sent.push(message as Sent),
    agreed() {},
    cancelsBySignal: false,
    close: () => Promise.resolve(),
  };
  const peer = await createRpcPeer({
    wire,
    capture,
    onStray: () => {},
    onServerRequest: (method) => method === "ping" ? { result: {} } : undefined,
  });
  return { peer, sent, wire: listener!, captured: () => capture.exchanges().length };
}

const act = { action: "act" };

t.test("answers find their requests in any order", async (t) => {
  const { peer, sent, wire, captured } = await peerWithWire();
  const first = peer.request("a", {}, act);
  const second = peer.request("b", {}, act);
  wire.message({ jsonrpc: "2.0", id: sent[1]!.id, result: "second" }, 1);
  wire.message({ jsonrpc: "2.0", id: sent[0]!.id, result: "first" }, 1);
  t.equal((await first).result, "first");
  t.equal((await second).result, "second");
  t.equal(captured(), 4);
});

t.test("an answer whose id became a string finds its request, with the breach named", async (t) => {
  const { peer, sent, wire } = await peerWithWire();
  const request = peer.request("a", {}, act);
  wire.message({ jsonrpc: "2.0", id: String(sent[0]!.id), result: 1 }, 1);
  t.match((await request).problems, [/string/]);
});

t.test("answers to nobody are ignored", async (t) => {
  const { peer, sent, wire } = await peerWithWire();
  const request = peer.request("a", {}, act);
  for (const id of [null, 999, "x", undefined, {}]) wire.message({ jsonrpc: "2.0", id, result: "wrong" }, 1);
  wire.message({ jsonrpc: "2.0", id: sent[0]!.id, result: "right" }, 1);
  t.equal((await request).result, "right");
});

t.test("progress that comes right before the result is not lost", async (t) => {
  const { peer, sent, wire } = await peerWithWire();
  const heard: unknown[] = [];
  const request = peer.request("a", {}, { ...act, onProgress: (progress) => heard.push(progress) });
  const { id, params } = sent[0]!;
  const progressToken = (params!._meta as { progressToken: number }).progressToken;
  wire.message({
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken, progress: 1, total: 2, message: "half" },
  }, 1);
  wire.message({ jsonrpc: "2.0", id, result: {} }, 1);
  await request;
  t.same(heard, [{ progress: 1, total: 2, message: "half" }]);
});

t.test("any notification that names a request is a sign of life", async (t) => {
  const { peer, sent, wire } = await peerWithWire();
  let heard = 0;
  const progress: unknown[] = [];
  const request = peer.request("a", {}, {
    ...act,
    onProgress: (each) => progress.push(each),
    onActivity: () => heard++,
  });
  const { id } = sent[0]!;
  const notify = (method: string, params: unknown) => wire.message({ jsonrpc: "2.0", method, params }, 1);
  notify("notifications/message", { level: "info", data: "working", _meta: { progressToken: id } });
  notify("notifications/message", { level: "info", data: "working", requestId: id });
  notify("notifications/x", { _meta: { requestId: String(id) } });
  notify("notifications/progress", { progressToken: id, message: "no number" });
  t.equal(heard, 4);
  notify("notifications/message", { level: "info", data: "of something else" });
  notify("notifications/message", { data: id, _meta: "none" });
  notify("notifications/message", { requestId: 99, _meta: { requestId: "", progressToken: null } });
  notify("notifications/cancelled", { requestId: id });
  notify("notifications/progress", [id]);
  t.equal(heard, 4, "nothing else is");
  wire.message({ jsonrpc: "2.0", id, result: {} }, 1);
  await request;
  notify("notifications/progress", { progressToken: id, progress: 2 });
  t.equal(heard, 4, "nor is it once the answer came");
  t.same(progress, []);
});

t.test("no progress token is sent when nobody listens", async (t) => {
  const { peer, sent } = await peerWithWire();
  peer.request("a", { x: 1 }, act);
  t.same(sent[0]!.params, { x: 1 });
});

t.test("a late answer is an error and tells the server that it is not wanted any more", async (t) => {
  const { peer, sent } = await peerWithWire();
  await t.rejects(peer.request("a", {}, { action: "list tools", timeoutMs: 20 }), {
    code: "SERVER_SILENT",
    message: "Cannot list tools: no answer within 20 ms",
  });
  t.match(sent[1], { method: "notifications/cancelled", params: { requestId: sent[0]!.id } });
});

t.test("initialize is not cancelled", async (t) => {
  const { peer, sent } = await peerWithWire();
  await t.rejects(peer.request("initialize", {}, { ...act, timeoutMs: 5 }), { code: "SERVER_SILENT" });
  t.equal(sent.length, 1);
});

t.test("an abort rejects with the signal's reason, before and during the call", async (t) => {
  const { peer, sent } = await peerWithWire();
  const controller = new AbortController();
  const request = peer.request("a", {}, { ...act, signal: controller.signal });
  controller.abort(new Error("enough"));
  await t.rejects(request, { message: "enough" });
  t.equal(sent[1]!.method, "notifications/cancelled");
  await t.rejects(peer.request("b", {}, { ...act, signal: controller.signal }), { message: "enough" });
  t.equal(sent.length, 2);
});

t.test("requests of the server: ping is answered, what was not offered is refused", async (t) => {
  const { sent, wire } = await peerWithWire();
  wire.message({ jsonrpc: "2.0", id: "s1", method: "ping" }, 1);
  wire.message({ jsonrpc: "2.0", id: "s2", method: "sampling/createMessage" }, 1);
  wire.message({ jsonrpc: "2.0", method: "notifications/message" }, 1);
  t.match(sent, [{ id: "s1", result: {} }, { id: "s2", error: { code: -32601 } }]);
});

t.test("the end fails what is awaited and all that comes later, each with its own words", async (t) => {
  const { peer } = await peerWithWire();
  const request = peer.request("a", {}, { action: "call one" });
  peer.end((action) => new PthError("SERVER_LOST", `Cannot ${action}: gone`));
  await t.rejects(request, { code: "SERVER_LOST", message: "Cannot call one: gone" });
  await t.rejects(peer.request("b", {}, { action: "call two" }), { message: "Cannot call two: gone" });
});

t.test("a broken wire fails what is awaited, and goes on", async (t) => {
  const { peer, sent, wire } = await peerWithWire();
  const request = peer.request("a", {}, act);
  wire.broken(new PthError("PROTOCOL_VIOLATION", "Cannot read: too long"));
  await t.rejects(request, { code: "PROTOCOL_VIOLATION" });
  const next = peer.request("b", {}, act);
  wire.message({ jsonrpc: "2.0", id: sent[1]!.id, result: 1 }, 1);
  t.equal((await next).result, 1);
});

t.test("the envelope goes with every request, beside the progress token", async (t) => {
  const { peer, sent } = await peerWithWire();
  peer.setEnvelope({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
  peer.request("a", { _meta: { own: 1 } }, { ...act, onProgress: () => {} });
  t.match(sent[0]!.params!._meta, {
    own: 1,
    progressToken: sent[0]!.id,
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  });
});
