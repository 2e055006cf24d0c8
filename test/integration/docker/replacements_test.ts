// test: timeout=180
import process from "node:process";
import t, { type Test } from "tap";
import type { EnvironmentHandle } from "../../../machines/model/environment.ts";
import docker from "../../../src/runtimes/docker.ts";
import { connectEngine } from "../../../src/runtimes/docker/engine.ts";
import { eventually } from "../../contracts/runtime/context.ts";
import { makeSpec, needsDocker } from "./docker_subject.ts";

t.setTimeout(180_000);

const containersOf = async ({ environmentId }: EnvironmentHandle) =>
  await (await connectEngine()).listContainers({
    all: true,
    filters: { label: [`pth.environment=${environmentId}`] },
  });

/** An environment with a snapshot whose replacement is up. */
async function snapshotted(t: Test) {
  const runtime = docker.create();
  const handle = await runtime.provision(makeSpec({ resources: {} }));
  t.teardown(() => runtime.destroy(handle));
  await runtime.exec(handle, ["sh", "-c", "echo before >/root/state"]);
  const snapshot = await runtime.snapshot(handle, "before");
  await runtime.exec(handle, ["sh", "-c", "echo after >/root/state"]);
  const replacement = async () =>
    (await containersOf(handle)).find(({ Names, State }) => /-ready-/.test(Names[0]!) && State === "running");
  t.ok(await eventually(async () => await replacement() !== undefined), "a replacement stands ready");
  return { runtime, handle, snapshot, replacement: (await replacement())! };
}

t.test("replacements", needsDocker, async (t) => {
  await t.test("a rollback takes the container that stands ready, with the state that was", async (t) => {
    const { runtime, handle, snapshot, replacement } = await snapshotted(t);
    const child = await runtime.spawn(handle, ["sleep", "1000"]);
    const after = await runtime.rollback(handle, snapshot);
    t.equal(after.state.containerId, replacement.Id);
    t.equal((await runtime.exec(after, ["cat", "/root/state"])).stdout, "before\n");
    t.not((await child.exited).code, 0, "what ran before has ended");
    const named = await (await connectEngine()).getContainer(`pth-${handle.environmentId}`).inspect();
    t.equal(named.Id, replacement.Id, "it has the environment's name");
    t.ok(
      await eventually(async () =>
        (await containersOf(handle)).every(({ Id }) => Id !== handle.state.containerId)
      ),
      "the old one goes",
    );
    const again = await runtime.rollback(after, snapshot);
    t.equal((await runtime.exec(again, ["cat", "/root/state"])).stdout, "before\n", "once more");
  });

  await t.test("one that died meanwhile is passed over", async (t) => {
    const { runtime, handle, snapshot, replacement } = await snapshotted(t);
    await (await connectEngine()).getContainer(replacement.Id).kill();
    const after = await runtime.rollback(handle, snapshot);
    t.not(after.state.containerId, replacement.Id);
    t.equal((await runtime.exec(after, ["cat", "/root/state"])).stdout, "before\n");
  });

  await t.test("one that died after its snapshot was removed leaves the environment as it is", async (t) => {
    const { runtime, handle, snapshot, replacement } = await snapshotted(t);
    const engine = await connectEngine();
    await engine.getContainer(replacement.Id).remove({ force: true });
    await engine.getImage(snapshot).remove({ force: true });
    await t.rejects(runtime.rollback(handle, snapshot), { code: "NO_SUCH_SNAPSHOT" });
    t.equal((await runtime.exec(handle, ["cat", "/root/state"])).stdout, "after\n", "it is thawed");
    const named = await engine.getContainer(`pth-${handle.environmentId}`).inspect();
    t.equal(named.Id, handle.state.containerId, "and has its name");
  });

  await t.test("the removal of a snapshot's image alone loses nothing", async (t) => {
    const { runtime, handle, snapshot } = await snapshotted(t);
    await (await connectEngine()).getImage(snapshot).remove({ force: true });
    const after = await runtime.rollback(handle, snapshot);
    t.equal((await runtime.exec(after, ["cat", "/root/state"])).stdout, "before\n");
  });

  await t.test("of two whose names begin alike, only the one that is dropped goes", async (t) => {
    process.env.PTH_WARM = "2";
    t.teardown(() => delete process.env.PTH_WARM);
    const { runtime, handle, snapshot } = await snapshotted(t);
    const longer = await runtime.snapshot(handle, "before-2");
    t.ok(await eventually(async () => (await containersOf(handle)).length === 3));
    await runtime.dropSnapshot(handle, snapshot);
    t.equal((await containersOf(handle)).length, 2);
    const after = await runtime.rollback(handle, longer);
    t.equal((await runtime.exec(after, ["cat", "/root/state"])).stdout, "after\n");
  });

  await t.test("a lost environment comes back by it too", async (t) => {
    const { runtime, handle, snapshot } = await snapshotted(t);
    await (await connectEngine()).getContainer(`pth-${handle.environmentId}`).kill();
    const after = await runtime.rollback(handle, snapshot);
    t.equal((await runtime.exec(after, ["cat", "/root/state"])).stdout, "before\n");
  });

  await t.test("it goes with its snapshot, and with its environment", async (t) => {
    const { runtime, handle, snapshot } = await snapshotted(t);
    await runtime.dropSnapshot(handle, snapshot);
    t.equal((await containersOf(handle)).length, 1);
    await runtime.snapshot(handle, "another");
    await runtime.destroy(handle);
    t.same(await containersOf(handle), []);
    t.same((await docker.leftovers()).filter(({ sessionId }) => sessionId === handle.sessionId), []);
  });

  await t.test("PTH_WARM=0 keeps none ready, and a rollback starts one", async (t) => {
    process.env.PTH_WARM = "0";
    t.teardown(() => delete process.env.PTH_WARM);
    const runtime = docker.create();
    const handle = await runtime.provision(makeSpec({ resources: {} }));
    t.teardown(() => runtime.destroy(handle));
    const snapshot = await runtime.snapshot(handle, "cold");
    t.equal((await containersOf(handle)).length, 1);
    const after = await runtime.rollback(handle, snapshot);
    t.equal((await runtime.exec(after, ["true"])).code, 0);
    t.equal((await containersOf(handle)).length, 1);
  });
});
