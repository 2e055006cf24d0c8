import t from "tap";
import type { ThreadStack } from "../../../machines/model/stuck.ts";
import { withHolders } from "../../../src/stuck/stacks/with_holders.ts";

const thread = (name: string, more: Partial<ThreadStack>): ThreadStack => ({
  pid: 1,
  name,
  frames: [],
  ...more,
});
const holding = (lock: string) => [{ lock, certain: false }];

t.test("a lock that a thread waits for names the other thread that holds it", (t) => {
  const threads = withHolders([
    thread("one", { holds: holding("a"), waitsFor: { lock: "b" } }),
    thread("two", { tid: 7, holds: holding("b"), waitsFor: { lock: "a" } }),
    thread("itself", { holds: holding("c"), waitsFor: { lock: "c" } }),
    thread("known", { waitsFor: { lock: "a", heldBy: "the kernel's word" } }),
    thread("unknown", { waitsFor: { lock: "d" } }),
    thread("none", {}),
  ]);
  t.same(threads.map(({ waitsFor }) => waitsFor?.heldBy), [
    "two (7)",
    "one",
    undefined,
    "the kernel's word",
    undefined,
    undefined,
  ]);
  t.end();
});
