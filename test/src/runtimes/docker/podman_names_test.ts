/** Answers as Podman gives them over Docker's API. */
import t from "tap";
import type { Engine } from "../../../../src/runtimes/docker/engine.ts";
import {
  removeSnapshot,
  requireSnapshot,
  shortSnapshotName,
} from "../../../../src/runtimes/docker/snapshots.ts";

/** An engine that lists these names, and notes what is removed. */
function engineWith(names: string[]): { engine: Engine; removed: string[] } {
  const removed: string[] = [];
  const engine = {
    listImages: () =>
      Promise.resolve([{ Id: "sha256:1", RepoTags: names, Labels: { "pth.environment": "e1" } }]),
    getImage: (reference: string) => ({ remove: () => Promise.resolve(void removed.push(reference)) }),
  };
  return { engine: engine as unknown as Engine, removed };
}

for (const prefix of ["", "localhost/", "docker.io/library/"]) {
  t.test(`a snapshot is found and removed by the engine's own name: ${prefix || "none"}`, async (t) => {
    const own = `${prefix}pth-snapshot-e1:green`;
    const { engine, removed } = engineWith([own]);
    t.equal(await requireSnapshot(engine, "e1", "pth-snapshot-e1:green"), own);
    await removeSnapshot(engine, "e1", "pth-snapshot-e1:green");
    t.same(removed, [own]);
    await t.rejects(requireSnapshot(engine, "e1", "pth-snapshot-e1:red"), {
      code: "NO_SUCH_SNAPSHOT",
      context: { next: ["Use one of: pth-snapshot-e1:green"] },
    });
  });
}

t.test("an image of another registry keeps its name", (t) => {
  t.equal(shortSnapshotName("ghcr.io/library/x:1"), "ghcr.io/library/x:1");
  t.equal(shortSnapshotName("docker.io/someone/x:1"), "docker.io/someone/x:1");
  t.end();
});
