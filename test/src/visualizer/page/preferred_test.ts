import t from "tap";
import { preferredActor, preferredSource } from "../../../../src/visualizer/page/preferred.ts";
import type { ViewerSource } from "../../../../src/visualizer/server/api.ts";
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
