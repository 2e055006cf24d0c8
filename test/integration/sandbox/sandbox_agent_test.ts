// test: timeout=180
// Commands by a sandbox's agent.
import { randomUUID } from "node:crypto";
import t from "tap";
import { createSandbox } from "../../../src/runtimes/sandbox.ts";
import { execByEntering } from "../../../src/runtimes/sandbox/exec_in_sandbox.ts";
import { commandAgentContract } from "../../contracts/command_agent_contract.ts";

await t.test("a sandbox's agent", async (t) => {
  const runtime = createSandbox();
  await commandAgentContract(t, async (t) => {
    const spec = {
      environmentId: `sandbox-${randomUUID()}`,
      sessionId: `agent-${randomUUID()}`,
      tier: 1 as const,
      env: { PTH_CONTRACT: "spec says", PYTHONPATH: "/x" },
      resources: { cpus: 1, memoryMB: 512 },
    };
    const living = { runtime, spec, handle: await runtime.provision(spec) };
    t.teardown(() => runtime.destroy(living.handle));
    return living;
  }, ({ handle }, script, options) => execByEntering(handle, ["sh", "-c", script], options));
});
