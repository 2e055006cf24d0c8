import t from "tap";
import docker from "../../../src/runtimes/docker.ts";
import { endAgent } from "../../../src/runtimes/shared/agent/command_agents.ts";
import { dockerState } from "../../../src/runtimes/docker/container.ts";
import { execPart } from "../../contracts/runtime/exec_part.ts";
import { runtimeContract } from "../../contracts/runtime_contract.ts";
import { makeSpec, needsDocker } from "./docker_subject.ts";

t.setTimeout(180_000);

t.test("docker", needsDocker, async (t) => {
  await runtimeContract(t, "docker", () => ({
    runtime: docker.create(),
    spec: makeSpec(),
    leftovers: docker.leftovers,
    networks: docker.networks,
  }));
});

t.test("docker, by the engine's exec alone", needsDocker, async (t) => {
  const [runtime, spec] = [docker.create(), makeSpec()];
  const handle = await runtime.provision(spec);
  t.teardown(() => runtime.destroy(handle));
  await endAgent(dockerState(handle).containerId);
  t.equal((await runtime.exec(handle, ["sh", "-c", "echo $PPID"])).stdout, "0\n");
  await execPart(t, { runtime, spec, handle });
});
