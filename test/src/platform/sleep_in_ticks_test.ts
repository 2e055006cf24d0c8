import t from "tap";
import { sleepInTicks, waitForIdle } from "../../../src/platform/sleep_in_ticks.ts";

/** Holds up the event loop, as a busy machine does. */
const block = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const never = new Promise(() => {});

t.test("who was held up still hears what came meanwhile", async (t) => {
  let heard = 0;
  const quiet = waitForIdle(100, () => heard, never);
  block(300);
  setTimeout(() => heard++, 30);
  await quiet;
  t.equal(heard, 1);

  const turns = sleepInTicks(100);
  block(300);
  setTimeout(() => heard++, 30);
  await turns;
  t.equal(heard, 2);
});

t.test("what goes on being heard is waited for, up to its end", async (t) => {
  let heard = 0;
  const over = new Promise<void>((resolve) => {
    const speaking = setInterval(() => {
      if (++heard < 20) return;
      clearInterval(speaking);
      resolve();
    }, 10);
  });
  await waitForIdle(60, () => heard, over);
  t.equal(heard, 20);
});
