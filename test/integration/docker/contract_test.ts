import t from "tap";
import docker from "../../../src/runtimes/docker.ts";
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
