import t from "tap";
import { placeHint } from "../../../src/project_tests/place_hint.ts";

const live = { place: { kind: "docker, image alpine", isCopy: true }, log: { problems: [] } };
const stuckWith = (method: string) => ({
  reason: "limit" as const,
  running: [],
  elapsedMs: 1,
  stacks: { threads: [], method, notes: [] },
});
const unwatched = "Cannot watch the processes: there is neither Node 20 nor Deno";

t.test("what the place lacks is named with the place: the watch first, then what takes stacks", (t) => {
  t.match(placeHint({ live, stuck: [stuckWith("none")], unwatched }), /neither Node 20 nor.*image alpine/);
  for (const method of ["none", "/proc"]) {
    t.match(placeHint({ live, stuck: [stuckWith(method)] }), /gdb or eu-stack.*image alpine/);
  }
  t.end();
});

t.test("where tests could not begin in a copy, that is said first; in place it is known where", (t) => {
  const log = { problems: [{ isBeforeTests: true }] };
  t.match(placeHint({ live: { ...live, log }, stuck: [], unwatched }), /^What is missing.*image alpine/);
  t.equal(placeHint({ live: { place: { kind: "here", isCopy: false }, log }, stuck: [] }), undefined);
  t.end();
});

t.test("nothing is said where tests were watched, and stacks were taken", (t) => {
  const log = { problems: [{ isBeforeTests: false }] };
  t.equal(placeHint({ live: { ...live, log }, stuck: [] }), undefined);
  t.equal(placeHint({ live, stuck: [stuckWith("gdb, /proc")] }), undefined);
  t.end();
});
