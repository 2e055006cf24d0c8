import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import { PthError } from "../../../src/core/errors.ts";
import docker from "../../../src/runtimes/docker.ts";
import { listImages } from "../../../src/runtimes/images.ts";
import { connectEngine } from "../../../src/runtimes/docker/engine.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { makeSpec, needsDocker } from "./docker_subject.ts";
import { nextStepsFor } from "../../../src/core/next_step.ts";

t.setTimeout(180_000);

const codeOf = async (promise: Promise<unknown>): Promise<string | undefined> => {
  const error = await promise.then(() => undefined, (cause: unknown) => cause);
  return error instanceof PthError ? error.code : String(error);
};

/** Runs with `DOCKER_HOST` set, and puts it back. */
async function withEngineAt<Result>(address: string, act: () => Promise<Result>): Promise<Result> {
  const before = process.env.DOCKER_HOST;
  process.env.DOCKER_HOST = address;
  try {
    return await act();
  } finally {
    if (before === undefined) delete process.env.DOCKER_HOST;
    else process.env.DOCKER_HOST = before;
  }
}

t.test("a dead engine is not ready, and says what to do", async (t) => {
  for (const address of ["unix:///no/such.sock", "tcp://127.0.0.1:1", "nonsense://["]) {
    await withEngineAt(address, async () => {
      const readiness = await docker.probe();
      t.equal(readiness.ready, false, address);
      t.match(nextStepsFor("terminal", readiness.next).join(" "), /setup-host\.sh/);
      t.same(await docker.leftovers(), []);
      const spec = makeSpec();
      t.equal(await codeOf((async () => await docker.create().provision(spec))()), "RUNTIME_UNAVAILABLE");
    });
  }
});

t.test("docker only", needsDocker, async (t) => {
  await t.test("an image that is not there makes it not ready, and names the way to it", async (t) => {
    const foreign = await docker.probe("fedora-of-the-future");
    t.equal(foreign.ready, false);
    t.match(foreign.next, [/^Use one of: debian12, /, /docker load/]);
    const missing = (await listImages()).filter(({ name, present }) =>
      !present && !/-(systemd|vm)$/.test(name)
    );
    for (const { name } of missing) {
      t.match(await docker.probe(name), { ready: false, next: [{ terminal: `pth images build ${name}` }] });
    }
  });

  await t.test("both names of an image work, and no name means debian12", async (t) => {
    for (const name of ["debian12", "pth-base-debian12", undefined]) {
      t.equal((await docker.probe(name)).ready, true, String(name));
    }
  });

  await t.test("containers and their volume carry the session's labels, and hold nothing of the host", async (t) => {
    const runtime = docker.create();
    const spec = makeSpec();
    const handle = await runtime.provision(spec);
    t.teardown(() => runtime.destroy(handle));
    const info = await (await connectEngine()).getContainer(`pth-${spec.environmentId}`).inspect();
    t.match(info.Config.Labels, {
      "pth.session": spec.sessionId,
      "pth.environment": spec.environmentId,
      "pth.owner": new RegExp(`^${process.pid}/\\d+$`),
    });
    t.same(info.Mounts.map((mount) => [mount.Type, mount.Name, mount.Destination]), [[
      "volume",
      `pth-${spec.environmentId}-source`,
      "/work/plugin",
    ]]);
    const volume = await (await connectEngine()).getVolume(`pth-${spec.environmentId}-source`).inspect();
    t.match(volume.Labels, { "pth.session": spec.sessionId, "pth.environment": spec.environmentId });
    t.equal(info.HostConfig.Privileged, false);
  });

  await t.test("limits that the engine set hold, and the others are stated as not enforced", async (t) => {
    const runtime = docker.create();
    const handle = await runtime.provision(makeSpec());
    t.teardown(() => runtime.destroy(handle));
    const { limits, memoryMB } = await runtime.inspect(handle);
    t.same(limits.map(({ name, value }) => [name, value]), [
      ["cpus", 1],
      ["memoryMB", 512],
      ["diskGB", 5],
      ["pids", 4096],
    ]);
    const memory = limits.find(({ name }) => name === "memoryMB")!;
    if (!memory.enforced) return t.comment("this engine enforces no memory limit");
    t.equal(memoryMB, 512);
    const eat = "const a = []; for (;;) a.push(Buffer.alloc(16e6, 1))";
    const { code } = await runtime.exec(handle, ["node", "-e", eat]);
    t.not(code, 0, "more memory than allowed ends the process");
    t.equal((await runtime.exec(handle, ["true"])).code, 0, "the environment survives");
    t.ok((await runtime.healthCheck(handle)).oomKills >= 1);
  });

  await t.test("npm and pip work inside", async (t) => {
    const runtime = docker.create();
    const handle = await runtime.provision(makeSpec());
    t.teardown(() => runtime.destroy(handle));
    const source = await temporaryFolder(t);
    await writeFile(join(source, "package.json"), '{"dependencies":{"picocolors":"^1"}}');
    await runtime.mountSource(handle, source, handle.sourcePath);
    const npm = await runtime.exec(handle, ["npm", "install", "--no-audit", "--no-fund"]);
    t.equal(npm.code, 0, npm.stderr);
    t.equal((await runtime.exec(handle, ["node", "-e", "require('picocolors')"])).code, 0);
    const venv = await runtime.exec(handle, ["python3", "-m", "venv", ".venv"]);
    t.equal(venv.code, 0, venv.stderr);
  });

  await t.test("a container that was killed is a lost environment, with its end told", async (t) => {
    const runtime = docker.create();
    const spec = makeSpec();
    const handle = await runtime.provision(spec);
    t.teardown(() => runtime.destroy(handle));
    const child = await runtime.spawn(handle, ["sleep", "1000"]);
    await (await connectEngine()).getContainer(`pth-${spec.environmentId}`).kill();
    t.equal((await child.exited).code, 137);
    const error = await runtime.exec(handle, ["true"]).catch((cause) => cause);
    t.equal(error.code, "ENVIRONMENT_LOST");
    t.match(error.message, /ended with 137/);
    t.equal((await runtime.inspect(handle)).status, "stopped");
    t.equal((await runtime.healthCheck(handle)).healthy, false);
  });

  await t.test("snapshots go with their environment", async (t) => {
    const runtime = docker.create();
    const spec = makeSpec();
    const handle = await runtime.provision(spec);
    const snapshot = await runtime.snapshot(handle, "gate 1: green!");
    t.match(snapshot, /^pth-snapshot-test-\w+:gate-1-green-$/);
    await runtime.snapshot(handle, "gate 1: green!");
    const mine = async () => (await docker.leftovers()).filter((left) => left.sessionId === spec.sessionId);
    const images = (await mine()).filter((left) => left.kind === "image");
    t.equal(images.length, 2, "the one of the same tag before lost its name only");
    await runtime.destroy(handle);
    t.same(await mine(), []);
  });

  await t.test("leftovers of a dead session are removed one by one", async (t) => {
    process.env.PTH_WARM = "0"; // this process lives, and would make a container while the others go
    t.teardown(() => delete process.env.PTH_WARM);
    const runtime = docker.create();
    const spec = makeSpec();
    const handle = await runtime.provision(spec);
    await runtime.snapshot(handle, "one");
    for (const left of await docker.leftovers()) if (left.sessionId === spec.sessionId) await left.remove();
    t.same((await docker.leftovers()).filter((left) => left.sessionId === spec.sessionId), []);
    t.equal((await runtime.inspect(handle)).status, "gone");
  });

  await t.test("a port is reached though the server listens on the container's own loopback", async (t) => {
    const runtime = docker.create();
    const handle = await runtime.provision(makeSpec());
    t.teardown(() => runtime.destroy(handle));
    const script =
      `require("http").createServer((q, r) => q.pipe(r)).listen(8123, "127.0.0.1", () => console.log("up"))`;
    const child = await runtime.spawn(handle, ["node", "-e", script]);
    await new Promise((resolve) => child.stdout.once("data", resolve));
    const port = await runtime.forwardPort(handle, 8123);
    t.equal(await runtime.forwardPort(handle, 8123), port, "asked again, the same relay serves");
    const body = "x".repeat(200_000);
    const answer = await fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      body,
      headers: { connection: "close" },
    });
    t.equal(await answer.text(), body);
    const after = await runtime.rollback(handle, await runtime.snapshot(handle, "x"));
    const again = await runtime.spawn(after, ["node", "-e", script]);
    await new Promise((resolve) => again.stdout.once("data", resolve));
    t.equal((await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: "close" } })).status, 200);
    await runtime.destroy(after);
    await t.rejects(fetch(`http://127.0.0.1:${port}/`), "the relay closed with its environment");
  });

  await t.test("a command that leaves a child behind ends when it ends itself", async (t) => {
    const runtime = docker.create();
    const handle = await runtime.provision(makeSpec());
    t.teardown(() => runtime.destroy(handle));
    const { stdout, durationMs } = await runtime.exec(handle, [
      "sh",
      "-c",
      "sleep 300 >/dev/null 2>&1 & echo done",
    ]);
    t.equal(stdout, "done\n");
    t.ok(durationMs < 60_000);
  });

  await t.test("the name of a living environment is not taken over", async (t) => {
    const runtime = docker.create();
    const spec = makeSpec();
    const handle = await runtime.provision(spec);
    t.teardown(() => runtime.destroy(handle));
    t.equal(await codeOf(runtime.provision(spec)), "PROVISION_FAILED");
    t.equal((await runtime.exec(handle, ["true"])).code, 0, "the first one lives on");
  });

  await t.test("a source folder that is not there is told", async (t) => {
    const runtime = docker.create();
    const handle = await runtime.provision(makeSpec());
    t.teardown(() => runtime.destroy(handle));
    const bringing = runtime.mountSource(handle, "/no/such/folder", handle.sourcePath);
    t.equal(await codeOf(bringing), "COPY_FAILED");
  });

  await t.test("absolute links come out as they are, and write nothing elsewhere", async (t) => {
    const runtime = docker.create();
    const spec = makeSpec();
    const handle = await runtime.provision(spec);
    t.teardown(() => runtime.destroy(handle));
    await runtime.exec(handle, [
      "sh",
      "-c",
      "mkdir /opt/x && ln -s /etc/passwd /opt/x/link && echo 1 >/opt/x/one",
    ]);
    const out = join(await temporaryFolder(t), "out");
    await runtime.copyOut(handle, "/opt/x", out, { keepLinks: true });
    t.equal(await readFile(join(out, "one"), "utf8"), "1\n");
  });
});
