// test: timeout=120
// What a command comes to whose connection to the engine is lost: never a result that is none of its own.
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import process from "node:process";
import t, { type Test } from "tap";
import docker from "../../../src/runtimes/docker.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { makeSpec, needsDocker } from "./docker_subject.ts";

/** Another way to the engine, which becomes this process's; what runs over it can be cut. */
async function cuttableEngine(t: Test): Promise<() => void> {
  const path = join(await temporaryFolder(t), "engine.sock");
  const engine = process.env.DOCKER_HOST?.replace(/^unix:\/\//, "") ?? "/var/run/docker.sock";
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const way = connect({ path: engine, allowHalfOpen: true });
    for (const [one, other] of [[client, way], [way, client]] as const) {
      open.add(one);
      one.on("error", () => {});
      one.once("close", () => {
        open.delete(one);
        other.destroy();
      });
    }
    client.pipe(way).pipe(client);
  });
  server.listen(path);
  await once(server, "listening");
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  const before = process.env.DOCKER_HOST;
  process.env.DOCKER_HOST = `unix://${path}`;
  t.teardown(() => {
    if (before === undefined) delete process.env.DOCKER_HOST;
    else process.env.DOCKER_HOST = before;
    cut();
    server.close();
  });
  return cut;
}

const isUnix = (process.env.DOCKER_HOST ?? "unix:").startsWith("unix:");

await t.test("a lost connection to the engine", isUnix ? needsDocker : { skip: "no socket" }, async (t) => {
  const cut = await cuttableEngine(t);
  const runtime = docker.create();
  const handle = await runtime.provision(makeSpec());
  t.teardown(() => runtime.destroy(handle));

  await t.test("a command under way is ended, and has no result", async (t) => {
    const word = `6${process.pid}`;
    const running = runtime.exec(handle, [
      "sh",
      "-c",
      `echo begun; sleep 0.3; echo on; echo on >&2; exec sleep ${word}`,
    ], {
      onOutput: () => cut(),
    });
    await t.rejects(running, { code: "RUNTIME_UNAVAILABLE", context: { transient: false } });
    const left = await runtime.exec(handle, ["sh", "-c", `grep -lx "sleep.${word}." /proc/[0-9]*/cmdline`]);
    t.equal(left.stdout, "");
  });

  await t.test("a living process counts as killed", async (t) => {
    const child = await runtime.spawn(handle, ["sh", "-c", "sleep 0.3; echo on"]);
    for (const output of [child.stdout, child.stderr]) output.resume();
    cut();
    t.same(await child.exited, { code: 137, signal: null });
  });

  await t.test("its own code is a command's, whichever it is", async (t) => {
    for (const code of [0, 3, 126]) {
      t.equal((await runtime.exec(handle, ["sh", "-c", `exit ${code}`])).code, code);
    }
  });
});

await t.test("a port of a container that is gone is not forwarded", needsDocker, async (t) => {
  const runtime = docker.create();
  const handle = await runtime.provision(makeSpec());
  await runtime.destroy(handle);
  await t.rejects(runtime.forwardPort(handle, 80), { code: "ENVIRONMENT_LOST" });
});
