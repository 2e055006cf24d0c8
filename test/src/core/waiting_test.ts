import { spawnProcess } from "../../../src/platform/process.ts";
import { abortSentinel, raceAbort, withDeadline } from "../../../src/core/waiting.ts";
import { setTimeout as later } from "node:timers/promises";
import t from "tap";

t.test("what comes in time is told from what comes too late, and from what fails", async (t) => {
  t.equal(await withDeadline(Promise.resolve(), 1000), true);
  t.equal(await withDeadline(new Promise(() => {}), 10), false);
  await t.rejects(withDeadline(Promise.reject(new Error("gone")), 1000), { message: "gone" });
  let fail: (error: Error) => void = () => {};
  t.equal(await withDeadline(new Promise((_resolve, reject) => fail = reject), 10), false);
  fail(new Error("after nobody waits any more, that harms nobody"));
});

t.test("a process that ended while nothing could run here has ended in time", async (t) => {
  const child = await spawnProcess(["true"]);
  child.stdout.resume();
  child.stderr.resume();
  const inTime = withDeadline(child.exited, 50);
  const held = performance.now() + 500;
  while (performance.now() < held);
  t.equal(await inTime, true);
});

t.test("work that ends is what it comes to, also where nobody can stop it", async (t) => {
  const { signal } = new AbortController();
  t.equal(await raceAbort(Promise.resolve(1), undefined), 1);
  t.equal(await raceAbort(Promise.resolve(1), signal), 1);
  await t.rejects(raceAbort(Promise.reject(new Error("no")), signal), { message: "no" });
});

t.test("work that nobody wants any more is left behind, and how it ends is no news", async (t) => {
  const controller = new AbortController();
  const late = later(20).then(() => Promise.reject(new Error("too late to hear of")));
  const first = raceAbort(late, controller.signal);
  controller.abort();
  t.equal(await first, abortSentinel);
  t.equal(await raceAbort(late, controller.signal), abortSentinel, "stopped before");
  await t.rejects(late);
});
