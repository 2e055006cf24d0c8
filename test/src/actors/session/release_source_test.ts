import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { createActor, toPromise } from "xstate";
import { releaseSource } from "../../../../src/actors/session/release_source.ts";
import { giveEnvironment, liveSession } from "../live.ts";

interface Test {
  teardown(clean: () => unknown): void;
}

async function endSession(
  t: Test,
  prepare: (live: ReturnType<typeof liveSession>["live"]) => void = () => {},
) {
  const top = await mkdtemp(join(tmpdir(), "pth-release-"));
  t.teardown(() => rm(top, { recursive: true }));
  const { live } = liveSession();
  let closed = false;
  live.register.close = () => Promise.resolve(void (closed = true));
  const worktree = await mkdtemp(join(top, "pth-worktree-"));
  live.code.source = { sessionId: "s1", name: "p", source: "/p", worktree, subfolder: "", notes: [] };
  prepare(live);
  const input = { sessionId: "s1", source: live.code.source, environment: undefined, keep: false };
  const actor = createActor(releaseSource(() => live), { input });
  actor.start();
  const end = await toPromise(actor);
  return { end, closed, left: await readdir(top) };
}

t.test("a session that leaves nothing is forgotten", async (t) => {
  const { end, closed, left } = await endSession(t);
  t.match(end, { leftBehind: [] });
  t.same(left, []);
  t.ok(closed, "its register is closed");
});

t.test("an environment that could not be destroyed is told, and left to pth clean", async (t) => {
  const { end, closed, left } = await endSession(t, (live) => giveEnvironment(live, {}));
  t.same(end.leftBehind, ["docker environment e1"]);
  t.same(left, [], "all else is gone");
  t.notOk(closed, "the register still knows it");
});
