import { randomUUID } from "node:crypto";
import t from "tap";
import host from "../../../src/runtimes/host.ts";
import { runtimeContract } from "../../contracts/runtime_contract.ts";

t.setTimeout(300_000); // a busy machine takes its time

await runtimeContract(t, "host", () => ({
  runtime: host.create(),
  leftovers: host.leftovers,
  networks: host.networks,
  spec: {
    environmentId: `host-${randomUUID()}`,
    sessionId: `contract-${randomUUID()}`,
    tier: 1,
    env: { PTH_CONTRACT: "spec says" },
    resources: { cpus: 1, memoryMB: 512, diskGB: 1 },
  },
}));
