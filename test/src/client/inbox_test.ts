import t from "tap";
import { createInbox } from "../../../src/client/inbox.ts";

const told = (method: string, params: Record<string, unknown> = {}) => ({ method, params });

t.test("each notification is handed out once, the oldest first", async (t) => {
  const inbox = createInbox();
  inbox.add(told("a", { n: 1 }), 10);
  inbox.add(told("b"), 10);
  inbox.add(told("a", { n: 2 }), 10);
  t.same(await inbox.next({ method: "a" }, 1000), told("a", { n: 1 }));
  t.same(await inbox.next({ method: "a" }, 1000), told("a", { n: 2 }));
  t.equal(await inbox.next({ method: "a" }, 1), undefined);
  t.same(await inbox.next({ method: "b" }, 1000), told("b"));
});

t.test("one that comes while it is waited for goes to the first who waits, and is not kept", async (t) => {
  const inbox = createInbox();
  const first = inbox.next({ method: "a" }, 1000);
  const second = inbox.next({ method: "a" }, 20);
  inbox.add(told("a"), 1);
  t.same(await first, told("a"));
  t.equal(await second, undefined);
  t.equal(await inbox.next({ method: "a" }, 1), undefined);
});

t.test("params may be a part of what came, also within; lists must be the same", async (t) => {
  const inbox = createInbox();
  inbox.add(told("a", { uri: "x", meta: { deep: 1, more: 2 }, list: [1, 2] }), 1);
  for (const params of [{ uri: "y" }, { meta: { deep: 2 } }, { list: [1] }, { other: 1 }]) {
    t.equal(await inbox.next({ method: "a", params }, 1), undefined);
  }
  const params = { meta: { deep: 1 }, list: [1, 2] };
  t.match(await inbox.next({ method: "a", params }, 1), { params: { uri: "x" } });
});

t.test("number and size are bounded, the oldest go; a new test begins without any", async (t) => {
  const inbox = createInbox({ most: 2, mostBytes: 100 });
  for (const n of [1, 2, 3]) inbox.add(told("a", { n }), 10);
  t.match(await inbox.next({ method: "a" }, 1), { params: { n: 2 } });
  inbox.add(told("big"), 95);
  t.equal(await inbox.next({ method: "a" }, 1), undefined, "a large one takes the place of those before it");
  inbox.clear();
  t.equal(await inbox.next({ method: "big" }, 1), undefined);
});

t.test("waiting ends with its signal", async (t) => {
  const inbox = createInbox();
  const stop = new AbortController();
  const waiting = inbox.next({ method: "a" }, 10_000, stop.signal);
  stop.abort(new Error("enough"));
  await t.rejects(waiting, { message: "enough" });
  await t.rejects(inbox.next({ method: "a" }, 10_000, stop.signal), { message: "enough" });
});
