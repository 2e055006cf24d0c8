import t from "tap";
import { relisting } from "../../../src/server/relisting.ts";

const patience = { toAskMs: 40, toBeGivenMs: 40 };
const isOver = (wait: Promise<void>, withinMs = 10) =>
  Promise.race([wait.then(() => true), new Promise((resolve) => setTimeout(() => resolve(false), withinMs))]);

t.test("a client that follows the list is waited for until it has been given the new one", async (t) => {
  const list = relisting({ toAskMs: 2000, toBeGivenMs: 2000 });
  list.asked();
  list.given();
  t.ok(await isOver(list.settled()), "nothing has changed");
  list.changed();
  t.notOk(await isOver(list.settled()));
  list.given();
  t.notOk(await isOver(list.settled()), "an answer to an older question");
  list.asked();
  t.notOk(await isOver(list.settled()));
  list.given();
  t.ok(await isOver(list.settled()));
});

t.test("a client that never listed tools is not waited for", async (t) => {
  const list = relisting(patience);
  list.changed();
  t.ok(await isOver(list.settled()));
});

t.test("a client that takes no notice is waited for once, and again once it has listed", async (t) => {
  const list = relisting(patience);
  list.asked();
  list.given();
  list.changed();
  t.notOk(await isOver(list.settled()));
  t.ok(await isOver(list.settled(), 1000), "patience ends");
  list.changed();
  t.ok(await isOver(list.settled()), "it is known by now");
  list.asked();
  list.given();
  list.changed();
  t.notOk(await isOver(list.settled()));
  t.ok(await isOver(list.settled(), 1000));
});

t.test("an answer that cannot be written holds nobody up for long", async (t) => {
  const list = relisting({ toAskMs: 2000, toBeGivenMs: 30 });
  list.asked();
  list.given();
  list.changed();
  list.asked();
  t.notOk(await isOver(list.settled()));
  t.ok(await isOver(list.settled(), 1000));
});

t.test("a second change lets go of who waited for the first", async (t) => {
  const list = relisting({ toAskMs: 2000, toBeGivenMs: 2000 });
  list.asked();
  list.given();
  list.changed();
  const first = list.settled();
  list.changed();
  t.ok(await isOver(first));
  list.asked();
  list.given();
  t.ok(await isOver(list.settled()));
});
