import t from "tap";
import type { Message } from "../../../../machines/model/detail.ts";
import { callsOf } from "../../../../src/testing/evidence/calls_of.ts";

const sent = (at: number, message: unknown): Message => ({ at, direction: "sent", message });
const received = (at: number, message: unknown): Message => ({ at, direction: "received", message });

t.test("each call has its number, its tool, its messages and its time", (t) => {
  const calls = callsOf([
    sent(10, { id: 1, method: "tools/call", params: { name: "add" } }),
    received(12, { method: "notifications/progress", params: {} }),
    received(15, { id: 1, result: {} }),
    sent(20, { id: 2, method: "tools/call", params: { name: "sub" } }),
    sent(25, { method: "notifications/cancelled" }),
  ]);
  t.match(calls, [
    { sequence: 1, method: "tools/call", tool: "add", durationMs: 5 },
    { sequence: 2, tool: "sub", durationMs: undefined },
  ]);
  t.same(calls.map(({ messages }) => messages.length), [3, 2]);
  t.end();
});

t.test("calls side by side get their own answers; a request of the server is no answer", (t) => {
  const calls = callsOf([
    sent(1, { id: 1, method: "a" }),
    sent(2, { id: 2, method: "b" }),
    received(3, { id: 1, method: "ping" }),
    received(4, { id: 2, result: 2 }),
    received(5, { id: 1, result: 1 }),
  ]);
  t.equal(calls[0]!.durationMs, 4);
  t.equal(calls[1]!.durationMs, 2);
  t.same(calls[1]!.messages.map(({ at }) => at), [2, 3, 4]);
  t.end();
});

t.test("what belongs to no call is told all the same", (t) => {
  const calls = callsOf([received(1, "no object"), received(2, { id: 9, result: "late" })]);
  t.match(calls, [{ sequence: 0, method: "" }, { sequence: 0 }]);
  t.same(callsOf([]), []);
  t.end();
});
