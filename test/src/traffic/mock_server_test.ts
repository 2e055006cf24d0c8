import t from "tap";
import {
  headerLine,
  openTrafficRecording,
  readRecording,
} from "../../../src/traffic/read_traffic_recording.ts";
import { createReplay } from "../../../src/traffic/replay.ts";
import { createMockServer } from "../../../src/traffic/mock_server.ts";
import { maskVolatile } from "../../../src/traffic/volatile.ts";

type Message = Record<string, unknown>;
let at = 0;
const client = (message: Message) => ({
  at: at++,
  from: "client" as const,
  message: { jsonrpc: "2.0", ...message },
});
const server = (message: Message) => ({
  at: at++,
  from: "server" as const,
  message: { jsonrpc: "2.0", ...message },
});
const call = (id: number, name: string, more: Message = {}) => ({
  id,
  method: "tools/call",
  params: { name, arguments: {}, ...more },
});
const said = (text: string) => ({ content: [{ type: "text", text }] });

const recording = {
  source: "s",
  messages: [
    client({ id: 0, method: "initialize", params: { protocolVersion: "2025-11-25" } }),
    server({ id: 0, result: { serverInfo: { name: "s" } } }),
    client({ method: "notifications/initialized" }),
    client(call(1, "count")),
    server({ id: 1, result: said("one") }),
    client(call(2, "count", { _meta: { progressToken: 2 } })),
    server({ method: "notifications/progress", params: { progressToken: 2, progress: 1 } }),
    server({ id: 2, result: said("two") }),
    client(call(3, "ask")),
    server({ id: "q", method: "elicitation/create", params: { message: "which?" } }),
    client({ id: "q", result: { action: "accept", content: { which: "this" } } }),
    server({ id: 3, result: said("this") }),
  ],
};

const answers = (send: (standIn: ReturnType<typeof createMockServer>) => void): Promise<Message[]> => {
  const got: Message[] = [];
  const standIn = createMockServer(recording, (message) => got.push(message));
  send(standIn);
  return new Promise((resolve) => setImmediate(() => resolve(got)));
};

t.test("equal requests get the recorded answers in their order, then the last again", async (t) => {
  const got = await answers((standIn) => {
    for (const id of [11, 12, 13]) standIn.receive({ jsonrpc: "2.0", ...call(id, "count") });
  });
  t.same(got.filter(({ id }) => id !== undefined), [
    { jsonrpc: "2.0", id: 11, result: said("one") },
    { jsonrpc: "2.0", id: 12, result: said("two") },
    { jsonrpc: "2.0", id: 13, result: said("two") },
  ]);
});

t.test("progress carries the token of who asks now", async (t) => {
  const got = await answers((standIn) => {
    standIn.receive({ jsonrpc: "2.0", ...call(1, "count") });
    standIn.receive({ jsonrpc: "2.0", ...call(2, "count", { _meta: { progressToken: "mine" } }) });
  });
  t.match(got, [{ id: 1 }, { method: "notifications/progress", params: { progressToken: "mine" } }, {
    id: 2,
  }]);
});

t.test("a question of the server is asked, and the answer waits for the reply", async (t) => {
  const got: Message[] = [];
  const standIn = createMockServer(recording, (message) => got.push(message));
  standIn.receive({ jsonrpc: "2.0", ...call(5, "ask") });
  t.match(got, [{ method: "elicitation/create", params: { message: "which?" } }]);
  t.equal(got.length, 1);
  standIn.receive({ jsonrpc: "2.0", id: got[0]!.id, result: { action: "decline" } });
  await new Promise((resolve) => setImmediate(resolve));
  t.match(got[1], { id: 5, result: said("this") });
});

t.test("what was not recorded is an error that names the nearest", async (t) => {
  const got = await answers((standIn) => {
    standIn.receive({ jsonrpc: "2.0", ...call(1, "count", { arguments: { by: 2 } }) });
    standIn.receive({ jsonrpc: "2.0", id: 2, method: "prompts/list" });
    standIn.receive({ jsonrpc: "2.0", id: 3, method: "ping" });
  });
  t.match(got, [
    { id: 1, error: { code: -32602, message: /no tools\/call with .*"by":2.*nearest: .*"name":"count"/ } },
    { id: 2, error: { code: -32601, message: /no prompts\/list; it has: initialize, tools\/call/ } },
    { id: 3, result: {} },
  ]);
});

async function replayed(change: (result: unknown, method: string) => unknown) {
  const replay = createReplay(recording, 500);
  const standIn = createMockServer(recording, (message) => {
    const sent = "result" in message ? { ...message, result: change(message.result, "") } : message;
    setImmediate(() => replay.receive(sent));
  });
  replay.input.on("data", (line) => {
    for (const each of String(line).trim().split("\n")) standIn.receive(JSON.parse(each));
  });
  return await replay.run();
}

t.test("a replay finds no difference in the same answers, and answers questions as recorded", async (t) => {
  const { requests, cutShort } = await replayed((result) => result);
  t.equal(cutShort, undefined);
  t.same(requests.map(({ what, differences }) => [what, differences]), [
    ["initialize", []],
    ["tools/call count", []],
    ["tools/call count", []],
    ["tools/call ask", []],
  ]);
});

t.test("a replay names what differs, and goes on", async (t) => {
  const { requests } = await replayed((result) =>
    JSON.stringify(result).includes("two") ? said("three") : result
  );
  t.same(requests.filter(({ differences }) => differences.length > 0).map(({ number }) => number), [3]);
  t.match(requests[2]!.differences, [/text: expected "two", got "three"/]);
});

t.test("a server that goes away cuts a replay short, with the reason", async (t) => {
  const replay = createReplay(recording, 5000);
  setImmediate(() => replay.gone("it ended with 3"));
  const { requests, cutShort } = await replay.run();
  t.match(cutShort, /initialize: the server has exited: it ended with 3/);
  t.equal(requests.length, 1);
});

t.test("times, ids and temporary paths are masked, and nothing else", (t) => {
  t.same(
    maskVolatile({
      at: "2026-11-22T05:00:00.123Z",
      id: "123e4567-e89b-12d3-a456-426614174000",
      where: "in /tmp/abc/x.txt, there",
      durationMs: 12,
      count: 12,
      text: "10 apples",
      epoch: 1763787600000,
    }),
    {
      at: "<time>",
      id: "<uuid>",
      where: "in <temporary path>, there",
      durationMs: "<durationMs>",
      count: 12,
      text: "10 apples",
      epoch: "<epoch>",
    },
  );
  t.end();
});

t.test("a recording that is not there is the caller's mistake", async (t) => {
  await t.rejects(openTrafficRecording("/nowhere/r.jsonl"), {
    code: "TARGET_NOT_FOUND",
    message: "Cannot read recording: there is no file /nowhere/r.jsonl",
  });
});

t.test("a bad recording is told with every place", (t) => {
  const read = (...lines: string[]) => () => readRecording("r.jsonl", lines.join("\n"));
  t.throws(read("{}"), /r\.jsonl:1:1 expected a header/);
  t.throws(read("{", '  "a": 1', "}"), {
    message: /^Cannot read recording: r\.jsonl:1:1 expected a header: .*$/,
  }, "some other file is told once, not line by line");
  t.throws(read(headerLine("s")), /r\.jsonl:1:1 expected messages, there are none/);
  t.throws(
    read(headerLine("s"), "{oops", '{"at":1,"from":"nobody","message":{}}'),
    /r\.jsonl:2:\d+ not valid JSON[^]*r\.jsonl:3:1 expected "at", "from"/,
  );
  t.end();
});
