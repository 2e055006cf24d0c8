/** Tests what an installed plugin says while it is being installed (scripts/launcher). */
import t from "tap";
import { createGreeter } from "../../../scripts/launcher/greeting.mjs";
import { createLineReader } from "../../../scripts/launcher/line_reader.mjs";
import { createWaitingRoom } from "../../../scripts/launcher/waiting_room.mjs";
import { selfVersion } from "../../../src/platform/self_version.ts";
import { initializeResult, wantsStructured } from "../../../src/server/initialize_result.ts";
import type { JsonRpcMessage } from "../../../src/server/json_rpc_message.ts";
import { toolsets } from "../../../src/tools/toolset.ts";
import { preparedTools, shownTools } from "../../../src/server/prepared_tools.ts";

const initialize = (params: Record<string, unknown>) => ({ method: "initialize", params });
const client = { capabilities: {}, clientInfo: { name: "test", version: "1" } };
const request = (id: number, method: string, params: Record<string, unknown> = {}) => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});
const call = (id: number, _meta: object = {}) => request(id, "tools/call", { name: "pth_preflight", _meta });

/** A room and what it sent; `say` is the client. */
function room(options: { patience?: number; plain?: boolean } = {}) {
  const sent: Record<string, unknown>[] = [];
  let wanted = 0;
  const { receive, fail, empty } = createWaitingRoom({
    send: (message: object) => void sent.push(message as Record<string, unknown>),
    wanted: () => void wanted++,
    plain: true,
    ...options,
  });
  const say = (message: object) => receive(JSON.stringify(message), message);
  return { sent, say, fail, empty, wanted: () => wanted };
}

t.test("initialize is answered as the server answers it", async (t) => {
  for (const protocolVersion of ["2025-11-25", "2024-11-05", "1999-01-01"]) {
    const message = initialize({ ...client, protocolVersion });
    const server = initializeResult(
      { jsonrpc: "2.0", id: 1, ...message } as JsonRpcMessage,
      await selfVersion(),
    );
    t.same(createGreeter(true)(message), { result: server?.["result"] }, protocolVersion);
  }
  for (const params of [undefined, {}, { ...client }, { ...client, protocolVersion: 1 }]) {
    t.equal(createGreeter(true)({ method: "initialize", params }), undefined, "the server's to refuse");
  }
});

t.test("lists are answered as the server answers them", async (t) => {
  for (const capabilities of [{}, { experimental: { structuredContent: {} } }]) {
    const answer = createGreeter(true);
    answer(initialize({ ...client, capabilities, protocolVersion: "2025-11-25" }));
    const structured = wantsStructured(capabilities);
    const tools = shownTools(await preparedTools(), {
      mode: "dynamic",
      toolsets: new Set(toolsets),
      active: false,
      handles: false,
      structured,
    });
    t.same(answer({ method: "tools/list", params: {} }), JSON.parse(JSON.stringify({ result: { tools } })));
  }
});

t.test("lists are the server's where options may change them, and where a page is asked for", (t) => {
  t.equal(createGreeter(false)({ method: "tools/list" }), undefined);
  t.equal(createGreeter(true)({ method: "tools/list", params: { cursor: "2" } }), undefined);
  t.end();
});

t.test("what the server does not know is refused at once: clients probe", (t) => {
  for (const method of ["server/discover", "logging/setLevel", "constructor", "toString/list"]) {
    t.match(createGreeter(true)({ method }), { error: { code: -32601 } }, method);
  }
  t.equal(createGreeter(true)({ method: "tools/call" }), undefined);
  t.end();
});

t.test("the server hears in order what was said, and which of it has its answer", (t) => {
  const { sent, say, empty, wanted } = room();
  const said = [
    request(1, "initialize", { ...client, protocolVersion: "2025-06-18" }),
    { jsonrpc: "2.0", method: "notifications/initialized" },
    request(2, "tools/list"),
    call(3),
  ];
  said.forEach(say);
  say(request(4, "ping"));
  t.same(sent.map(({ id }) => id), [1, 2, 4]);
  t.equal(wanted(), 1, "for the call");
  t.same(empty(), { lines: said.map((message) => JSON.stringify(message)), answered: [1, 2] });
  t.same(empty(), { lines: [], answered: [] });
  t.end();
});

t.test("a cancelled call is neither answered nor passed on", (t) => {
  const { sent, say, fail, empty } = room();
  say(call(1, { progressToken: "p" }));
  say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "unknown" } });
  fail(new Error("no network"));
  t.same(sent.filter((message) => "id" in message), []);
  t.same(empty(), { lines: [], answered: [] });
  t.end();
});

t.test("a call without a progress token is answered in bounded time, and told to come again", async (t) => {
  const { sent, say, empty } = room({ patience: 20 });
  say(call(1));
  say(request(2, "resources/read"));
  await new Promise((done) => setTimeout(done, 60));
  t.match(sent, [
    {
      id: 1,
      result: {
        isError: true,
        content: [{ text: /still being installed.*since \d+ s\)\nNext:\n- Call it again/ }],
      },
    },
    {
      id: 2,
      error: { code: -32000, message: /^Cannot answer resources\/read: PTH is still being installed/ },
    },
  ]);
  t.same(empty().lines, [], "the server does not answer it once more");
});

t.test("a call with a progress token hears what goes on, in growing numbers below 1", async (t) => {
  const { sent, say, empty } = room({ patience: 20 });
  say(call(1, { progressToken: 0 }));
  await new Promise((done) => setTimeout(done, 2600));
  t.equal(empty().lines.length, 1, "it still waits");
  t.match(sent, [{
    method: "notifications/progress",
    params: { progressToken: 0, message: /^Installing PTH, once: / },
  }, {}]);
  const [first, second] = sent.map(({ params }) => (params as { progress: number }).progress);
  t.ok(0 < first! && first! < second! && second! < 1, `${first} ${second}`);
});

t.test("what is no request harms nobody", (t) => {
  const { sent, say, fail, empty } = room();
  for (
    const odd of [{ id: {}, method: "ping" }, { id: 1, method: 5 }, { id: 1, result: {} }, {
      id: null,
      method: "x",
    }]
  ) {
    say(odd);
  }
  say(request(1, "tools/call"));
  say({ id: 2, method: "tools/call", params: null });
  say({ id: 3, method: "tools/call", params: { name: { a: 1 }, _meta: { progressToken: {} } } });
  fail(new Error("no network"));
  t.same(sent.map(({ id }) => id), [1, 2, 3]);
  t.same(empty(), { lines: [], answered: [] });
  t.end();
});

t.test("a failed installation answers all who wait; the next call is heard anew", (t) => {
  const { sent, say, fail, wanted } = room();
  say(call(1));
  say(request(2, "prompts/get"));
  fail(new Error("installing PTH failed: no network"));
  t.match(sent, [
    {
      id: 1,
      result: {
        isError: true,
        content: [{ text: "Cannot run pth_preflight: installing PTH failed: no network" }],
      },
    },
    { id: 2, error: { message: /no network/ } },
  ]);
  say(call(3));
  t.equal(wanted(), 3);
  fail(new Error("again"));
  t.equal(sent.length, 3);
  t.end();
});

t.test("lines come whole, whatever pieces they come in; one that is too long is left out", (t) => {
  const lines: string[] = [];
  const reader = createLineReader((line: string) => lines.push(line), 10);
  for (const text of ["ab", "c\r\n\nd", "é\n12345", "67890", "1\nnext\nre", "st"]) {
    reader.push(new TextEncoder().encode(text));
  }
  t.same(lines, ["abc", "dé", "next"]);
  t.equal(reader.rest().toString(), "rest");
  t.end();
});
