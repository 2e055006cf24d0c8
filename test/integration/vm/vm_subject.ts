/** What the integration tests of machines share: a fresh spec, and why none can run here. */
import type { EnvironmentSpec } from "../../../machines/model/environment.ts";
import vm from "../../../src/runtimes/vm.ts";
import { nextStepsFor } from "../../../src/core/next_step.ts";

const readiness = await vm.probe("debian12");

/** For `t.test`'s options: skips, with the reason and what would help, where no machine can be had. */
export const needsVm = readiness.ready ? {} : {
  skip: `${readiness.reason} (${nextStepsFor("terminal", readiness.next).join("; ") || "no next step"})`,
};

/** A spec of its own session. Its size is the usual one, made already. */
export function makeSpec(more: Partial<EnvironmentSpec> = {}): EnvironmentSpec {
  const id = crypto.randomUUID().slice(0, 8);
  return {
    environmentId: `test-${id}`,
    sessionId: `vm-test-${id}`,
    tier: 3,
    image: "debian12",
    env: { PTH_CONTRACT: "from the spec" },
    resources: {},
    ...more,
  };
}
