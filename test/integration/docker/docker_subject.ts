/** What docker's integration tests share: a fresh spec with a source folder, and the reason why none can run here. */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";
import type { EnvironmentSpec } from "../../../machines/model/environment.ts";
import docker from "../../../src/runtimes/docker.ts";

const readiness = await docker.probe("debian12");

/** For `t.test`'s options: skips, with the reason and what would help, where no engine is ready. */
export const needsDocker = readiness.ready
  ? {}
  : { skip: `${readiness.reason} (${readiness.next?.join("; ") ?? "no next step"})` };

/** A spec of its own session; its source folder is removed with the test. */
export async function makeSpec(t: Test, more: Partial<EnvironmentSpec> = {}): Promise<EnvironmentSpec> {
  const sourcePath = await mkdtemp(join(tmpdir(), "pth-docker-"));
  await chmod(sourcePath, 0o755);
  t.teardown(() => rm(sourcePath, { recursive: true, force: true }));
  const id = crypto.randomUUID().slice(0, 8);
  return {
    environmentId: `test-${id}`,
    sessionId: `docker-test-${id}`,
    tier: 1,
    image: "debian12",
    sourcePath,
    env: { PTH_CONTRACT: "from the spec" },
    resources: { cpus: 1, memoryMB: 512, diskGB: 5 },
    ...more,
  };
}
