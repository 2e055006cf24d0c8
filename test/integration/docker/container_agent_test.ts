// test: timeout=180
// Commands by a container's agent, and what becomes of them when the container or PTH goes away.
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import docker from "../../../src/runtimes/docker.ts";
import { containerName, removeContainers, removeVolumes } from "../../../src/runtimes/docker/container.ts";
import { connectEngine } from "../../../src/runtimes/docker/engine.ts";
import { execInside } from "../../../src/runtimes/docker/exec.ts";
import { isDeno } from "../../../src/platform/host.ts";
import { commandAgentContract } from "../../contracts/command_agent_contract.ts";
import { eventually, type Living } from "../../contracts/runtime/context.ts";
import { makeSpec, needsDocker } from "./docker_subject.ts";

const runtime = docker.create();

async function provisioned(t: Test): Promise<Living> {
  const spec = makeSpec();
  const living = { runtime, spec, handle: await runtime.provision(spec) };
  t.teardown(() => runtime.destroy(living.handle));
  return living;
}

await t.test("a container's agent", needsDocker, async (t) => {
  await commandAgentContract(t, provisioned, async ({ handle }, script, options) => {
    const place = { engine: await connectEngine(), containerId: containerName(handle.environmentId) };
    return await execInside({ ...place, sourcePath: handle.sourcePath }, ["sh", "-c", script], options);
  });
});

await t.test("a container that is removed meanwhile is told as lost", needsDocker, async (t) => {
  const { handle } = await provisioned(t);
  const engine = await connectEngine();
  const running = runtime.exec(handle, ["sh", "-c", "echo up; exec sleep 600"], {
    onOutput: () => void engine.getContainer(containerName(handle.environmentId)).remove({ force: true }),
  });
  await t.rejects(running, { code: "ENVIRONMENT_LOST" });
});

await t.test("kill -9 of PTH ends the agent, and the commands that it runs", needsDocker, async (t) => {
  const { environmentId, sessionId } = makeSpec();
  const engine = await connectEngine();
  t.teardown(async () => {
    await removeContainers(engine, environmentId);
    await removeVolumes(engine, environmentId);
  });
  const file = fileURLToPath(new URL("./owner_process.ts", import.meta.url));
  const given = [
    ...(isDeno ? ["run", "-A", file] : [...process.execArgv, file]),
    environmentId,
    sessionId,
    "600",
  ];
  const owner = spawn(process.execPath, given, { stdio: ["ignore", "pipe", "inherit"] });
  t.teardown(() => void owner.kill("SIGKILL"));
  await once(owner.stdout, "data");
  const listed = async () => JSON.stringify(await engine.getContainer(containerName(environmentId)).top());
  t.match(await listed(), /pth-agent.*sleep 600/s);
  owner.kill("SIGKILL");
  t.ok(await eventually(async () => !/pth-agent|sleep 600/.test(await listed())), await listed());
});
