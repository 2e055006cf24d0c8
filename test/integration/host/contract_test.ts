import { randomUUID } from "node:crypto";
import t from "tap";
import host from "../../../src/runtimes/host.ts";
import { runtimeContract } from "../../contracts/runtime_contract.ts";
import { temporaryFolder } from "../temporary_folder.ts";

t.setTimeout(300_000); // a busy machine takes its time

await runtimeContract(t, "host", async () => ({
  runtime: host.create(),
  leftovers: host.leftovers,
  spec: {
    environmentId: `host-${randomUUID()}`,
    sessionId: `contract-${randomUUID()}`,
    tier: 1,
    sourcePath: await temporaryFolder(t),
    env: { PTH_CONTRACT: "spec says" },
    resources: { cpus: 1, memoryMB: 512, diskGB: 1 },
  },
}));
