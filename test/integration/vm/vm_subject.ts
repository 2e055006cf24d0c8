/** What the integration tests of machines share: a fresh spec with a source folder, and why none can run here. */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";
import type { EnvironmentSpec } from "../../../machines/model/environment.ts";
import vm from "../../../src/runtimes/vm.ts";

const readiness = await vm.probe("debian12");

/** For `t.test`'s options: skips, with the reason and what would help, where no machine can be had. */
export const needsVm = readiness.ready
  ? {}
  : { skip: `${readiness.reason} (${readiness.next?.join("; ") ?? "no next step"})` };

/** A spec of its own session; its source folder is removed with the test. Its size is the usual one, made already. */
export async function makeSpec(t: Test, more: Partial<EnvironmentSpec> = {}): Promise<EnvironmentSpec> {
  const sourcePath = await mkdtemp(join(tmpdir(), "pth-vm-"));
  await chmod(sourcePath, 0o755);
  t.teardown(() => rm(sourcePath, { recursive: true, force: true }));
  const id = crypto.randomUUID().slice(0, 8);
  return {
    environmentId: `test-${id}`,
    sessionId: `vm-test-${id}`,
    tier: 3,
    image: "debian12",
    sourcePath,
    env: { PTH_CONTRACT: "from the spec" },
    resources: {},
    ...more,
  };
}
