// test: own-process (what the page began goes on until the process ends)
import t from "tap";
import { setTimeout as sleep } from "node:timers/promises";
import {
  keepAddress,
  preferredActor,
  preferredSource,
  seekTo,
  selectActor,
  showTab,
} from "../../../../src/visualizer/page/navigate.ts";
import { type ViewerSource } from "../../../../src/visualizer/server/api.ts";
import { row } from "./actor_row.ts";

const source = (id: string, state: ViewerSource["state"]): ViewerSource => ({
  id,
  kind: state === "whole" ? "recording" : "live",
  title: id,
  detail: "",
  state,
  maySend: false,
});

t.test("with nothing to look at the machines are shown", (t) => {
  t.equal(preferredSource([]), "machines");
  t.end();
});

t.test("a recording that was named comes first, then the only session", (t) => {
  t.equal(preferredSource([source("live-a", "live"), source("recording", "whole")]), "recording");
  t.equal(preferredSource([source("live-a", "live"), source("live-b", "ended")]), "live-a");
  t.equal(preferredSource([source("live-b", "ended")]), "live-b");
  t.end();
});

t.test("of several sessions none is preferred: its user chooses", (t) => {
  t.equal(preferredSource([source("live-a", "live"), source("live-b", "live")]), undefined);
  t.end();
});

t.test("the session is selected, before there is one the first machine", (t) => {
  const harness = row("x:0", { machine: "harness" });
  t.equal(preferredActor([harness, row("x:1", { machine: "session" })]), "x:1");
  t.equal(preferredActor([row("x:9", { slot: "call" }), harness]), "x:0");
  t.equal(preferredActor([]), undefined);
  t.end();
});

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
