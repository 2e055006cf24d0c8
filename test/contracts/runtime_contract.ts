/**
 * What every `EnvironmentRuntime` must do, run by each runtime's own integration test.
 *
 * @example
 * ```ts
 * await runtimeContract(t, "sandbox", async () => ({ runtime: sandbox.create(), spec, leftovers: sandbox.leftovers }));
 * ```
 */
import type { Test } from "tap";
import type { Subject } from "./runtime/context.ts";
import { driftPart } from "./runtime/drift_part.ts";
import { execPart } from "./runtime/exec_part.ts";
import { filesPart } from "./runtime/files_part.ts";
import { hostPortPart } from "./runtime/host_port_part.ts";
import { endPart, isolationPart, provisionPart } from "./runtime/life_part.ts";
import { networkPart } from "./runtime/network_part.ts";
import { spawnPart } from "./runtime/spawn_part.ts";
import { snapshotPart, statePart } from "./runtime/state_part.ts";

export type { Subject } from "./runtime/context.ts";

/**
 * @param make Gives a runtime and a spec with an `environmentId` of its own each time it is called, and
 * `env.PTH_CONTRACT` set to any text. Folders that it makes are its own to remove (`t.teardown`).
 */
export async function runtimeContract(t: Test, name: string, make: () => Subject): Promise<void> {
  await t.test(`${name} keeps the runtime contract`, async (t) => {
    const subject = make();
    const handle = await subject.runtime.provision(subject.spec);
    const living = { ...subject, handle };
    t.teardown(() => subject.runtime.destroy(living.handle));
    t.match(handle, { environmentId: subject.spec.environmentId, sessionId: subject.spec.sessionId });
    t.equal(handle.runtime, subject.runtime.name);
    t.same(JSON.parse(JSON.stringify(handle)), handle, "a handle is plain data");

    await execPart(t, living);
    await spawnPart(t, living);
    await filesPart(t, living);
    await isolationPart(t, living);
    await statePart(t, living);
    await hostPortPart(t, living);
    await driftPart(t, living);
    living.handle = await snapshotPart(t, living);
    await endPart(t, living);
    await provisionPart(t, make);
    await networkPart(t, make);
  });
}
