import t from "tap";
import { spawnProcess } from "../../../src/platform/process.ts";
import { withDeadline } from "../../../src/core/with_deadline.ts";

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
