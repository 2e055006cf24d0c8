import t from "tap";
import { spawnProcess } from "../../../src/platform/process.ts";
import { settledWithin } from "../../../src/core/settled_within.ts";

t.test("what comes in time is told from what comes too late, and from what fails", async (t) => {
  t.equal(await settledWithin(Promise.resolve(), 1000), true);
  t.equal(await settledWithin(new Promise(() => {}), 10), false);
  await t.rejects(settledWithin(Promise.reject(new Error("gone")), 1000), { message: "gone" });
  let fail: (error: Error) => void = () => {};
  t.equal(await settledWithin(new Promise((_resolve, reject) => fail = reject), 10), false);
  fail(new Error("after nobody waits any more, that harms nobody"));
});

t.test("a process that ended while nothing could run here has ended in time", async (t) => {
  const child = await spawnProcess(["true"]);
  child.stdout.resume();
  child.stderr.resume();
  const inTime = settledWithin(child.exited, 50);
  const held = performance.now() + 500;
  while (performance.now() < held);
  t.equal(await inTime, true);
});
