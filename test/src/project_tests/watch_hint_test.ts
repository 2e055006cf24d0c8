import t from "tap";
import { watchHint } from "../../../src/project_tests/watch_hint.ts";

const live = { place: { kind: "docker, image alpine" } };
const stuckWith = (method: string) => ({
  reason: "limit" as const,
  running: [],
  elapsedMs: 1,
  stacks: { threads: [], method, notes: [] },
});

t.test("what the place lacks is named with the place: the watch first, then what takes stacks", (t) => {
  const unwatched = "Cannot watch the processes: there is neither Node 20 nor Deno";
  t.match(
    watchHint({ live, stuck: [stuckWith("none")], unwatched }),
    /neither Node 20 nor Deno.*image alpine/,
  );
  for (const method of ["none", "/proc"]) {
    t.match(watchHint({ live, stuck: [stuckWith(method)] }), /gdb or eu-stack.*image alpine/);
  }
  t.end();
});

t.test("nothing is said where tests were watched, and stacks were taken", (t) => {
  t.equal(watchHint({ live, stuck: [] }), undefined);
  t.equal(watchHint({ live, stuck: [stuckWith("gdb, /proc")] }), undefined);
  t.end();
});
