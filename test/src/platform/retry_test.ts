import t from "tap";
import { PthError } from "../../../src/core/errors.ts";
import { retryBudget, withRetries } from "../../../src/platform/retry.ts";
import { isTransient } from "../../../src/diagnosis/table.ts";

const away = (transient = true) =>
  new PthError("RUNTIME_UNAVAILABLE", "Cannot reach engine: refused", { transient });

/** Fails so many times, then answers. */
function failing(times: number, error: unknown): { work: () => Promise<string>; calls: () => number } {
  let calls = 0;
  const work = () => ++calls <= times ? Promise.reject(error) : Promise.resolve("done");
  return { work, calls: () => calls };
}

const quick = { isTransient, firstPauseMs: 1 };

t.test("what is over in a moment is tried again, with longer and longer pauses that are told", async (t) => {
  const told: string[] = [];
  const { work, calls } = failing(3, away());
  const options = { ...quick, retries: 3, onRetry: (message: string) => void told.push(message) };
  t.equal(await withRetries(work, options), "done");
  t.equal(calls(), 4);
  t.same(told, [
    "Cannot reach engine: refused; trying again in 0.001 s (1 of 3)",
    "Cannot reach engine: refused; trying again in 0.002 s (2 of 3)",
    "Cannot reach engine: refused; trying again in 0.004 s (3 of 3)",
  ]);
});

t.test("once the budget is spent the error tells how often it was tried", async (t) => {
  const { work, calls } = failing(9, away());
  const refused = withRetries(work, { ...quick, retries: 2, onRetry: () => {} });
  await t.rejects(refused, {
    code: "RUNTIME_UNAVAILABLE",
    context: { attempts: 3, tried: ["3 times, with longer and longer pauses"] },
  });
  t.equal(calls(), 3);
});

t.test("what will not pass is not tried again, nor without a budget", async (t) => {
  for (const [error, retries] of [[away(false), 5], [new Error("x"), 5], [away(), 0]] as const) {
    const { work, calls } = failing(9, error);
    await t.rejects(
      withRetries(work, { ...quick, retries, onRetry: () => t.fail("told of a retry") }),
      error,
    );
    t.equal(calls(), 1);
  }
});

t.test("a pause ends when the caller gives up", async (t) => {
  const stop = new AbortController();
  const { work } = failing(9, away());
  const options = { retries: 5, isTransient, firstPauseMs: 60_000, signal: stop.signal };
  const waiting = withRetries(work, { ...options, onRetry: () => stop.abort() });
  await t.rejects(waiting, { name: "AbortError" });
});

t.test("the budget is the call's, else 2", (t) => {
  t.equal(retryBudget(7), 7);
  t.equal(retryBudget(0), 0);
  t.equal(retryBudget(), 2);
  t.equal(retryBudget(-1), 2);
  t.end();
});
