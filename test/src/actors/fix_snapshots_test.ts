import t from "tap";
import { fixWork } from "../../../src/actors/branch/fix_work.ts";
import { giveEnvironment, liveSession } from "./live.ts";

function withSnapshots(...commits: string[]) {
  const { live } = liveSession();
  const dropped: string[] = [];
  giveEnvironment(live, {
    dropSnapshot: (_handle, snapshot) => {
      dropped.push(snapshot);
      return Promise.resolve();
    },
  });
  for (const commit of commits) {
    live.snapshots.beforeFixes.set(commit, {
      snapshot: `before ${commit}`,
      environment: live.environment.count,
    });
  }
  return { live, dropped };
}

t.test("a rollback takes the snapshots of later fixes along: they are of a system that is no more", async (t) => {
  const { live, dropped } = withSnapshots("a", "b", "c");
  await fixWork.drop_fix_snapshots_since(live, { commit: "b" });
  t.strictSame(dropped, ["before b", "before c"]);
  t.strictSame([...live.snapshots.beforeFixes.keys()], ["a"]);
  await fixWork.drop_fix_snapshots_since(live, { commit: "unknown" });
  t.strictSame([...live.snapshots.beforeFixes.keys()], ["a"]);
});

t.test("once all tests pass, the snapshots of all fixes are dropped", async (t) => {
  const { live, dropped } = withSnapshots("a", "b");
  await fixWork.drop_fix_snapshots(live);
  t.strictSame(dropped, ["before a", "before b"]);
  t.equal(live.snapshots.beforeFixes.size, 0);
});

t.test("a snapshot is dropped once, and not in an environment that never had it", async (t) => {
  const { live, dropped } = withSnapshots("a", "b");
  t.strictSame(await fixWork.drop_fix_snapshot(live, { commit: "a" }), { dropped: true });
  t.strictSame(await fixWork.drop_fix_snapshot(live, { commit: "a" }), { dropped: false });
  live.environment.count++;
  t.strictSame(await fixWork.drop_fix_snapshot(live, { commit: "b" }), { dropped: false });
  t.strictSame(dropped, ["before a"]);
});
