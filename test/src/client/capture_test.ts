import t from "tap";
import { createCapture, type Exchange } from "../../../src/client/capture.ts";
const message = (id: number) => ({ jsonrpc: "2.0", id, result: {} });

t.test("keeps messages in order, with direction and time", (t) => {
  const capture = createCapture();
  const before = Date.now();
  capture.add("sent", message(1), 20);
  capture.add("received", message(2), 20);
  const [first, second] = capture.exchanges();
  t.match(first, { direction: "sent", message: { id: 1 } });
  t.match(second, { direction: "received", message: { id: 2 } });
  t.ok(first!.at >= before && first!.at <= Date.now());
  t.end();
});

t.test("keeps the newest when there are too many", (t) => {
  const capture = createCapture({ maxMessages: 3 });
  for (let id = 1; id <= 10; id++) capture.add("sent", message(id), 1);
  t.same(capture.exchanges().map((exchange) => (exchange.message as { id: number }).id), [8, 9, 10]);
  t.end();
});

t.test("keeps the newest when they are too large together", (t) => {
  const capture = createCapture({ maxBytes: 100 });
  for (let id = 1; id <= 4; id++) capture.add("sent", message(id), 40);
  t.same(capture.exchanges().map((exchange) => (exchange.message as { id: number }).id), [3, 4]);
  t.end();
});

t.test("of a message that is too large by itself the envelope stays, and it is heard whole", (t) => {
  const heard: Exchange[] = [];
  const capture = createCapture({ maxBytes: 1000, onExchange: (exchange) => heard.push(exchange) });
  capture.add("received", message(7), 5000);
  t.same(capture.exchanges()[0]!.message, { jsonrpc: "2.0", id: 7, omittedBytes: 5000 });
  t.same(heard[0]!.message, message(7));
  t.end();
});

t.test("without payloads only ids and methods stay", (t) => {
  const capture = createCapture({ payloads: false });
  capture.add("sent", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { secret: "x" } }, 80);
  t.same(capture.exchanges()[0]!.message, { jsonrpc: "2.0", id: 1, method: "tools/call", omittedBytes: 80 });
  t.end();
});
