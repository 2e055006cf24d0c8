import { randomUUID } from "node:crypto";
import t from "tap";
import sandbox, { createSandbox } from "../../../src/runtimes/sandbox.ts";
import { runtimeContract } from "../../contracts/runtime_contract.ts";

t.setTimeout(300_000); // a busy machine takes its time

for (const enter of ["bubblewrap", "util-linux"] as const) {
  await runtimeContract(t, `sandbox with ${enter}`, () => ({
    runtime: createSandbox(enter),
    leftovers: sandbox.leftovers,
    networks: sandbox.networks,
    spec: {
      environmentId: `sandbox-${randomUUID()}`,
      sessionId: `contract-${randomUUID()}`,
      tier: 1,
      env: { PTH_CONTRACT: "spec says" },
      // One with limits and data in memory, one without and data on the disk.
      resources: enter === "bubblewrap" ? { cpus: 1, memoryMB: 1024, diskGB: 1 } : {},
    },
  }));
}
