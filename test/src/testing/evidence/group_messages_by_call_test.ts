import t from "tap";
import type { McpMessage } from "../../../../machines/model/detail.ts";
import { groupMessagesByCall } from "../../../../src/testing/evidence/group_messages_by_call.ts";

const sent = (at: number, message: unknown): McpMessage => ({ at, direction: "sent", message });
const received = (at: number, message: unknown): McpMessage => ({ at, direction: "received", message });

t.test("each call has its number, its tool, its messages and its time", (t) => {
  const calls = groupMessagesByCall([
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
  const calls = groupMessagesByCall([
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
  const calls = groupMessagesByCall([received(1, "no object"), received(2, { id: 9, result: "late" })]);
  t.match(calls, [{ sequence: 0, method: "" }, { sequence: 0 }]);
  t.same(groupMessagesByCall([]), []);
  t.end();
});
