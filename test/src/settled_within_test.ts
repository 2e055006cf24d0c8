import t from "tap";
import { settledWithin } from "../../src/settled_within.ts";

t.test("what comes in time is told from what comes too late, and from what fails", async (t) => {
  t.equal(await settledWithin(Promise.resolve(), 1000), true);
  t.equal(await settledWithin(new Promise(() => {}), 10), false);
  await t.rejects(settledWithin(Promise.reject(new Error("gone")), 1000), { message: "gone" });
  let fail: (error: Error) => void = () => {};
  t.equal(await settledWithin(new Promise((_resolve, reject) => fail = reject), 10), false);
  fail(new Error("after nobody waits any more, that harms nobody"));
});
