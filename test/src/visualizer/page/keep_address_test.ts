// test: own-process (what the page began goes on until the process ends)
import t from "tap";
import { setTimeout as sleep } from "node:timers/promises";
import { keepAddress } from "../../../../src/visualizer/page/keep_address.ts";
import { seekTo, selectActor, showTab } from "../../../../src/visualizer/page/navigate.ts";

t.test("the address follows where the page stands, and is not written at each moment of playing", async (t) => {
  const written: string[] = [];
  const location = { hash: "#source=recording&actor=x%3A1" };
  const write = (how: string) => (_state: unknown, _title: string, address: string) => {
    location.hash = address;
    written.push(`${how} ${address}`);
  };
  t.intercept(globalThis, "location" as never, { value: location as never });
  const history = { pushState: write("push"), replaceState: write("replace") };
  t.intercept(globalThis, "history" as never, { value: history as never });
  t.intercept(globalThis, "addEventListener", { value: () => {} });

  keepAddress();
  for (let position = 1; position <= 300; position++) seekTo(position, position);
  t.same(written, [], "not while it moves");
  await sleep(300);
  t.same(written, ["replace #source=recording&at=300&actor=x%3A1"], "where it rests");

  seekTo(310, 310);
  showTab("events");
  selectActor("x:2");
  t.same(written.slice(1), [
    "replace #source=recording&at=310&actor=x%3A1",
    "push #source=recording&at=310&actor=x%3A1&tab=events",
    "push #source=recording&at=310&actor=x%3A2&tab=events",
  ], "back leads to where one was at last");
});
