import t from "tap";
import { matchesEvent } from "../../../../src/visualizer/chart/matches_event.ts";

t.test("a pattern of events matches as in XState", (t) => {
  for (const pattern of ["*", "pool.*", "pool.lease.*", "pool.lease.granted"]) {
    t.ok(matchesEvent(pattern, "pool.lease.granted"), pattern);
  }
  t.ok(matchesEvent("pool.*", "pool"));
  for (const pattern of ["poo.*", "pool", "pool.lease", "pool.lease.granted.*.x", "lease.*"]) {
    t.notOk(matchesEvent(pattern, "pool.lease.granted"), pattern);
  }
  t.end();
});
