import { setTimeout as later } from "node:timers/promises";
import t from "tap";
import { abortSentinel, raceAbort } from "../../../src/core/race_abort.ts";

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
