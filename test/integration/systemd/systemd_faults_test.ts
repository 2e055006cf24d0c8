// test: timeout=120
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import t, { type Test } from "tap";
import type { PthError } from "../../../src/core/errors.ts";
import { spawnProcess } from "../../../src/platform/process.ts";
import docker from "../../../src/runtimes/docker.ts";
import { containerName } from "../../../src/runtimes/docker/container.ts";
import { connectEngine } from "../../../src/runtimes/docker/engine.ts";
import systemd from "../../../src/runtimes/systemd.ts";
import { waitForBoot } from "../../../src/runtimes/systemd/wait_for_boot.ts";
import { needsDocker } from "../docker/docker_subject.ts";
import { needsSystemd, systemdSpec } from "./systemd_subject.ts";
import { nextStepsFor } from "../../../src/core/next_step.ts";

t.setTimeout(120_000);

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let text = "";
  for await (const piece of request) text += piece;
  return text;
};

interface StrictEngine {
  /** What containers it was asked for. */
  asked: { Privileged?: boolean; CapAdd?: string[]; CapDrop?: string[] }[];
  removed: string[];
}

/** An engine that speaks the API and starts nothing that needs a privilege; `DOCKER_HOST` names it during the test. */
async function strictEngine(t: Test): Promise<StrictEngine> {
  const folder = await mkdtemp(join(tmpdir(), "pth-strict-"));
  const seen: StrictEngine = { asked: [], removed: [] };
  const server: Server = createServer(async (request, response) => {
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(status === 204 ? undefined : JSON.stringify(body));
    };
    const path = request.url ?? "";
    const text = await bodyOf(request);
    if (path.includes("/version")) return answer(200, { Version: "20.10" });
    if (path.includes("/images/")) return answer(200, { Id: "sha256:1" });
    if (path.includes("/containers/create")) {
      seen.asked.push(JSON.parse(text).HostConfig);
      return answer(201, { Id: `c${seen.asked.length}`, Warnings: [] });
    }
    if (path.endsWith("/start")) {
      return answer(500, { message: "runc create failed: unable to apply caps: operation not permitted" });
    }
    if (request.method === "DELETE") {
      seen.removed.push(path.match(/containers\/(\w+)/)![1]!);
      return answer(204, undefined);
    }
    answer(404, { message: `no such thing: ${path}` });
  });
  server.listen(join(folder, "engine.sock"));
  await once(server, "listening");
  const before = process.env.DOCKER_HOST;
  process.env.DOCKER_HOST = `unix://${folder}/engine.sock`;
  t.teardown(async () => {
    if (before === undefined) delete process.env.DOCKER_HOST;
    else process.env.DOCKER_HOST = before;
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  return seen;
}

t.test("an engine that grants no privileges is told as such, with all that was tried", async (t) => {
  const engine = await strictEngine(t);
  const spec = systemdSpec();
  const error: PthError = await systemd.create().provision(spec).then(
    () => t.fail("it was provisioned") as never,
    (cause) => cause,
  );
  t.equal(error.code, "PROVISION_FAILED");
  t.match(error.message, /grants no privileges/);
  t.match(error.context.tried, [/^privileged: .*unable to apply caps/, /^allCapabilities: /]);
  t.match(nextStepsFor("terminal", error.context.next).join("\n"), /--env vm/);
  t.match(engine.asked, [
    { Privileged: true },
    { CapAdd: ["ALL"], CapDrop: ["SYS_RESOURCE"] },
    { CapAdd: [/SYS_ADMIN/] },
  ]);
  t.same(engine.removed, ["c1", "c2", "c3"], "nothing is left of the attempts");
  await systemd.create().provision(spec).catch(() => {});
  t.equal(engine.asked.length, 6, "nothing started without them either: next time all is asked for again");
});

t.test("without an engine there is no such machine, and the way to one is told", async (t) => {
  const before = process.env.DOCKER_HOST;
  process.env.DOCKER_HOST = "unix:///no/such.sock";
  t.teardown(() => before === undefined ? delete process.env.DOCKER_HOST : process.env.DOCKER_HOST = before);
  t.match(await systemd.probe(), { ready: false, next: [/setup-host\.sh/] });
});

t.test("an image that is not built is named with its variant", needsSystemd, async (t) => {
  const readiness = await systemd.probe("fedora");
  if (readiness.ready) return t.comment("fedora-systemd is built here");
  t.match(readiness, {
    reason: /fedora-systemd is not built/,
    next: [{ terminal: "pth images build fedora-systemd" }],
  });
});

t.test("a container that never comes up is given up in time, with its last words", needsDocker, async (t) => {
  const runtime = docker.create();
  const spec = systemdSpec({ tier: 1 });
  const handle = await runtime.provision(spec);
  t.teardown(() => runtime.destroy(handle));
  const place = {
    engine: await connectEngine(),
    containerId: containerName(spec.environmentId),
    sourcePath: "/",
  };
  const error: PthError = await waitForBoot(place, undefined, 500).then(
    () => t.fail() as never,
    (cause) => cause,
  );
  t.equal(error.code, "PROVISION_FAILED");
  t.match(error.message, /not up within 0\.5 s/);
  const aborted = waitForBoot(place, AbortSignal.timeout(200), 60_000).catch((cause) => cause);
  t.equal((await aborted).name, "TimeoutError", "the caller's own reason comes out");
});

t.test("an image without systemd says that there is none", needsSystemd, async (t) => {
  const engine = await connectEngine();
  // A reference of the user's own: no name of the catalogue.
  await engine.getImage("pth-base-debian12").tag({ repo: "pth-test-plain", tag: "one" });
  t.teardown(() => engine.getImage("pth-test-plain:one").remove());
  const spec = systemdSpec({ image: "pth-test-plain:one" });
  const error: PthError = await systemd.create().provision(spec).then(
    () => t.fail("it was provisioned") as never,
    (cause) => cause,
  );
  t.equal(error.code, "PROVISION_FAILED");
  t.match(error.context.output, /There is no systemd in this image/);
  t.same((await systemd.leftovers()).filter(({ sessionId }) => sessionId === spec.sessionId), []);
});

t.test("what a killed owner leaves is found, and removed one by one", needsSystemd, async (t) => {
  const spec = systemdSpec();
  const code = `
    const { default: systemd } = await import(${
    JSON.stringify(import.meta.resolve("../../../src/runtimes/systemd.ts"))
  });
    const runtime = systemd.create();
    const handle = await runtime.provision(${JSON.stringify(spec)});
    await runtime.snapshot(handle, "one");
    console.log("ready");
    setInterval(() => {}, 1000);`;
  const command = "Deno" in globalThis ? [process.execPath, "eval", "--no-check"] : [process.execPath, "-e"];
  // One that stands ready for a rollback would come into being at some moment after the kill.
  const child = await spawnProcess([...command, code], { cwd: process.cwd(), env: { PTH_WARM: "0" } });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await child.ended;
  const mine = async () =>
    (await systemd.leftovers()).filter(({ sessionId }) => sessionId === spec.sessionId);
  const left = await mine();
  t.same(left.map(({ kind }) => kind), ["container", "volume", "image"]);
  t.same(left.filter(({ ownerLives }) => ownerLives), []);
  t.same(
    (await docker.leftovers()).filter(({ sessionId }) => sessionId === spec.sessionId),
    [],
    "not told twice",
  );
  for (const one of left) await one.remove();
  t.same(await mine(), []);
});
