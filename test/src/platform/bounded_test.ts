import t from "tap";
import { bounded, OutOfTime } from "../../../src/platform/bounded.ts";

/** Waits without computing, as on a machine that gives the process no time. */
const starve = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);

t.test("work that had no time on a busy machine is tried until it is done", (t) => {
  let tries = 0;
  const work = () => {
    if (++tries < 5) starve();
    return "done";
  };
  t.equal(bounded(work, 100), "done");
  t.equal(tries, 5);
  t.end();
});

t.test("work that has no time at all is given up after 3 s, and the error says why", (t) => {
  const error = caught(() => bounded(starve, 1000));
  t.match(error, { starved: true, message: /^not done within [23](?:\.\d+)? s on a busy machine$/ });
  t.end();
});

t.test("work that computes without end is stopped, and others work as before", (t) => {
  caught(() =>
    bounded(() => {
      for (;;);
    }, 50)
  );
  t.equal(bounded(() => "others work", 50), "others work");
  t.end();
});

t.test("what the work throws comes through", (t) => {
  t.throws(() => bounded(() => JSON.parse("{")), SyntaxError);
  t.end();
});

function caught(work: () => unknown): OutOfTime {
  try {
    work();
  } catch (error) {
    if (error instanceof OutOfTime) return error;
    throw error;
  }
  throw new Error("it was done");
}
