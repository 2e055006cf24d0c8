import t from "tap";
import { latestOnly } from "../../../../src/visualizer/page/latest_only.ts";

/** Work that is done when the test says so. */
function held() {
  const asked: number[] = [];
  const ends: (() => void)[] = [];
  const run = (number: number) => {
    asked.push(number);
    return new Promise<void>((resolve) => void ends.push(resolve));
  };
  const end = async () => {
    ends.shift()?.();
    await new Promise((resolve) => setTimeout(resolve, 0));
  };
  return { asked, run, end };
}

t.test("of what is asked for meanwhile only the last is asked", async (t) => {
  const { asked, run, end } = held();
  const ask = latestOnly(run);
  for (const number of [1, 2, 3, 4]) ask(number);
  t.same(asked, [1]);
  await end();
  t.same(asked, [1, 4]);
  await end();
  ask(5);
  t.same(asked, [1, 4, 5], "and afterwards at once again");
});

t.test("while things change fast it pauses, and asks for the last state after that", async (t) => {
  const { asked, run, end } = held();
  const pauses: (() => void)[] = [];
  const wait = (ms: number) => {
    t.equal(ms, 250);
    return new Promise<void>((resolve) => void pauses.push(resolve));
  };
  const ask = latestOnly(run, { pauseMs: () => 250, wait });
  ask(1);
  ask(2);
  await end();
  t.same(asked, [1], "it still waits");
  ask(3);
  pauses.shift()?.();
  await end();
  t.same(asked, [1, 3]);
});
