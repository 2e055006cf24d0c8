import t from "tap";
import { createActor, toPromise } from "xstate";
import type { EnvironmentHandle, EnvironmentSpec } from "../../../../machines/model/environment.ts";
import {
  acquireWarmEnvironment,
  storeWarmEnvironment,
} from "../../../../src/actors/environment/warm_environments.ts";
import { destroy } from "../../../../src/actors/environment/destroy.ts";
import type { LiveEnvironment } from "../../../../src/actors/stores/environment_holder.ts";
import { PthError } from "../../../../src/core/errors.ts";
import type { EnvironmentRuntime } from "../../../../src/runtimes/runtime.ts";
import { liveSession } from "../live.ts";

const spec: EnvironmentSpec = {
  environmentId: "s1-e1",
  sessionId: "s1",
  tier: 2,
  image: "debian12",
  env: {},
  resources: {},
};

/** A runtime that makes names only, and what it was told to do. */
function runtimeOf({ code = 0, keptReady = true, room = true } = {}) {
  const did: string[] = [];
  const runtime = {
    name: "systemd",
    abilities: keptReady ? { keptReady } : {},
    provision({ environmentId }: EnvironmentSpec) {
      did.push(`provision ${environmentId}`);
      return room ? Promise.resolve({ environmentId }) : Promise.reject(new PthError("DISK_FULL", "no room"));
    },
    exec: () =>
      code < 0 ? Promise.reject(new PthError("ENVIRONMENT_LOST", "gone")) : Promise.resolve({ code }),
    destroy: ({ environmentId }: { environmentId: string }) =>
      Promise.resolve(void did.push(`destroy ${environmentId}`)),
  } as unknown as EnvironmentRuntime;
  return { runtime, did };
}

t.test("the next environment of the same kind is one that was started ahead", async (t) => {
  const { live, registered } = liveSession();
  const { runtime, did } = runtimeOf();
  storeWarmEnvironment(live, runtime, spec);
  const handle = await acquireWarmEnvironment(live, runtime, { ...spec, environmentId: "s1-e2" });
  t.match(handle, { environmentId: "s1-w1" });
  t.same(registered, ["will create environment s1-w1"], "it is registered before it is made");
  t.equal(await acquireWarmEnvironment(live, runtime, spec), undefined, "it is taken once");
  t.same(did, ["provision s1-w1"]);
});

t.test("another image, limit or runtime is not served by it", async (t) => {
  const { live } = liveSession();
  const { runtime } = runtimeOf();
  t.teardown(() => live.environment.warm.drop());
  storeWarmEnvironment(live, runtime, spec);
  const others = [{ image: "debian13" }, { resources: { cpus: 1 } }, { tier: 1 as const }];
  for (const other of others) {
    t.equal(await acquireWarmEnvironment(live, runtime, { ...spec, ...other }), undefined);
  }
  t.equal(await acquireWarmEnvironment(live, { ...runtime, name: "docker" }, spec), undefined);
});

t.test("one that does not work is removed, and a new one has to be made", async (t) => {
  for (const code of [1, -1]) {
    const { live, registered } = liveSession();
    const { runtime, did } = runtimeOf({ code });
    storeWarmEnvironment(live, runtime, spec);
    t.equal(await acquireWarmEnvironment(live, runtime, spec), undefined);
    t.same(did, ["provision s1-w1", "destroy s1-w1"]);
    t.equal(registered.at(-1), "removed environment s1-w1");
  }
});

t.test("where there is no room for one, the session goes on without", async (t) => {
  const { live } = liveSession();
  const { runtime, did } = runtimeOf({ room: false });
  storeWarmEnvironment(live, runtime, spec);
  t.equal(await acquireWarmEnvironment(live, runtime, spec), undefined);
  t.same(did, ["provision s1-w1"]);
});

t.test("none is started for a run, nor where starting one takes no time", (t) => {
  const { live } = liveSession();
  const { runtime, did } = runtimeOf();
  storeWarmEnvironment({ ...live, mode: "run" }, runtime, spec);
  const quick = runtimeOf({ keptReady: false });
  storeWarmEnvironment(live, quick.runtime, spec);
  t.same([...did, ...quick.did], []);
  t.end();
});

t.test("one that was started ahead is removed beside the environment of a session that ends", async (t) => {
  for (const ends of [false, true]) {
    const { live } = liveSession();
    const { runtime, did } = runtimeOf();
    let destroyed = () => {};
    const first = (handle: EnvironmentHandle) =>
      handle.environmentId === "s1-e1"
        ? new Promise<void>((resolve) => destroyed = resolve)
        : runtime.destroy(handle);
    live.environment.current = {
      runtime: { ...runtime, destroy: first },
      info: { handle: { environmentId: "s1-e1" } },
    } as unknown as LiveEnvironment;
    storeWarmEnvironment(live, runtime, spec);
    if (ends) live.tasks.leaving.abort();
    const destroying = createActor(destroy(() => live), { input: { environment: undefined } }).start();
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    t.same(did, ["provision s1-w1", ...ends ? ["destroy s1-w1"] : []]);
    destroyed();
    await toPromise(destroying);
    await live.environment.warm.drop();
  }
});

t.test("the session's end removes those that nobody took", async (t) => {
  const { live, registered } = liveSession();
  const { runtime, did } = runtimeOf();
  storeWarmEnvironment(live, runtime, spec);
  await live.environment.warm.drop();
  t.same(did, ["provision s1-w1", "destroy s1-w1"]);
  t.equal(registered.at(-1), "removed environment s1-w1");
});

t.test("one that cannot be removed is left to the session's end, which tries again", async (t) => {
  const { live, registered } = liveSession();
  const { runtime } = runtimeOf();
  const destroy = () => Promise.reject(new PthError("RUNTIME_UNAVAILABLE", "the engine restarts"));
  storeWarmEnvironment(live, { ...runtime, destroy }, spec);
  await live.environment.warm.drop();
  t.match(live.environment.abandoned, [{ info: { handle: { environmentId: "s1-w1" } } }]);
  t.same(registered, ["will create environment s1-w1"], "the register still has it, for pth clean");
});
