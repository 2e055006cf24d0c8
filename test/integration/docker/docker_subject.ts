/** What docker's integration tests share: a fresh spec, and the reason why none can run here. */
import type { EnvironmentSpec } from "../../../machines/model/environment.ts";
import docker from "../../../src/runtimes/docker.ts";
import { nextStepsFor } from "../../../src/core/next_step.ts";

const readiness = await docker.probe("debian12");

/** For `t.test`'s options: skips, with the reason and what would help, where no engine is ready. */
export const needsDocker = readiness.ready ? {} : {
  skip: `${readiness.reason} (${nextStepsFor("terminal", readiness.next).join("; ") || "no next step"})`,
};

/** A spec of its own session. */
export function makeSpec(more: Partial<EnvironmentSpec> = {}): EnvironmentSpec {
  const id = crypto.randomUUID().slice(0, 8);
  return {
    environmentId: `test-${id}`,
    sessionId: `docker-test-${id}`,
    tier: 1,
    image: "debian12",
    env: { PTH_CONTRACT: "from the spec" },
    resources: { cpus: 1, memoryMB: 512, diskGB: 5 },
    ...more,
  };
}
