/** Makes a container whose agent runs a command, says so, and waits to be killed. Run by container_agent_test.ts. */
import process from "node:process";
import docker from "../../../src/runtimes/docker.ts";

const [environmentId, sessionId, word] = process.argv.slice(2) as [string, string, string];
const runtime = docker.create();
const handle = await runtime.provision({ environmentId, sessionId, tier: 1, env: {}, resources: {} });
const waiting = runtime.exec(handle, ["sh", "-c", `setsid sleep ${word} & echo up; sleep ${word}`], {
  onOutput: () => console.log("living"),
});
await waiting;
