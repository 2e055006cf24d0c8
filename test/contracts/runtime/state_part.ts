import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { EnvironmentHandle } from "../../../machines/model/environment.ts";
import {
  freePort,
  listenOnHost,
  type Part,
  readBytes,
  rejectsWith,
  shell,
  skipped,
  text,
  unique,
} from "./context.ts";

/** forwardPort, healthCheck, logs, inspect. */
export const statePart: Part = async (t, living) => {
  const { runtime, handle, spec } = living;

  await t.test("a forwarded port reaches a server inside", async (t) => {
    const port = await freePort();
    const script =
      `require("http").createServer((_, r) => r.end("from inside")).listen(${port}, "0.0.0.0", () => console.log("up"))`;
    const child = await runtime.spawn(handle, ["node", "-e", script]);
    await readBytes(child.stdout, 2);
    const hostPort = await runtime.forwardPort(handle, port);
    const answer = await fetch(`http://127.0.0.1:${hostPort}/`, { headers: { connection: "close" } });
    t.equal(await answer.text(), "from inside");
    await child.kill("SIGKILL");
    await child.exited;
  });

  await t.test("a host port may be chosen", async (t) => {
    const [port, wanted] = [await freePort(), await freePort()];
    const script =
      `require("http").createServer((_, r) => r.end("chosen")).listen(${port}, "0.0.0.0", () => console.log("up"))`;
    const child = await runtime.spawn(handle, ["node", "-e", script]);
    await readBytes(child.stdout, 2);
    t.equal(await runtime.forwardPort(handle, port, wanted), wanted);
    const answer = await fetch(`http://127.0.0.1:${wanted}/`, { headers: { connection: "close" } });
    t.equal(await answer.text(), "chosen");
    await child.kill("SIGKILL");
    await child.exited;
  });

  await t.test("a host port that someone holds is refused", async (t) => {
    const { port, server } = await listenOnHost();
    await rejectsWith(t, runtime.forwardPort(handle, await freePort(), port), "PORT_TAKEN");
    server.close();
    await once(server, "close");
  });

  await t.test("health has plausible numbers", async (t) => {
    const health = await runtime.healthCheck(handle);
    t.type(health.healthy, "boolean");
    t.equal(health.healthy, health.problems.length === 0, health.problems.join("; "));
    for (const percent of [health.diskUsedPercent, health.memoryUsedPercent]) {
      t.ok(percent >= 0 && percent <= 100, `${percent} %`);
    }
    t.ok(Number.isInteger(health.processes) && health.processes >= 0);
    t.ok(Number.isInteger(health.zombies) && health.zombies >= 0);
    t.ok(Number.isInteger(health.oomKills) && health.oomKills >= 0);
    t.same(health.failedUnits, []);
  });

  await t.test("orphans are reaped", async (t) => {
    if (!runtime.abilities.isolated) return skipped(t, "the host's init reaps");
    await shell(living, "for i in 1 2 3; do (sleep 0.05 &) ; done; sleep 0.3");
    // A process that has just ended is a zombie until its parent looks; one that nobody reaps stays.
    let zombies = 3;
    for (let tries = 0; tries < 20 && zombies > 0; tries++) {
      zombies = (await runtime.healthCheck(handle)).zombies;
      if (zombies > 0) await sleep(100);
    }
    t.equal(zombies, 0);
  });

  await t.test("inspect tells what is inside", async (t) => {
    const state = await runtime.inspect(handle);
    t.match(state, {
      runtime: runtime.name,
      tier: spec.tier,
      status: "running",
      sourcePath: handle.sourcePath,
    });
    t.match(state.hostname, /\w/);
    t.match(state.os, /\w/);
    t.match(state.kernel, /^\d+\.\d+/);
    t.ok(state.cpus >= 1 && state.memoryMB > 0 && state.diskFreeMB > 0);
    t.match(state.tools!.node, /^v?\d+\./);
    t.match(state.network, /\w/);
    t.ok(state.processes >= 1);
    t.equal(await text(t, living, "uname -n"), state.hostname);
  });

  await t.test("inspect states every limit asked for, and whether it holds", async (t) => {
    const { limits } = await runtime.inspect(handle);
    const { cpus, memoryMB, diskGB } = spec.resources;
    const asked = { cpus, memory: memoryMB, disk: diskGB };
    for (const [name, value] of Object.entries(asked)) {
      if (value === undefined) continue;
      const stated = limits.find((limit) => limit.name.startsWith(name));
      t.equal(stated?.value, value, `${name} is stated`);
      t.type(stated?.enforced, "boolean");
    }
    t.type(runtime.abilities.limits.cpus, "boolean");
  });

  await t.test("logs are text, and tail is obeyed", async (t) => {
    const word = unique();
    await shell(living, `echo ${word}`);
    const logs = await runtime.logs(handle, { tail: 3 });
    t.type(logs, "string");
    t.ok(logs.trimEnd().split("\n").length <= 3);
  });
};

/** snapshot, rollback, dropSnapshot; resolves to the handle that lives afterwards. */
export const snapshotPart = async (...[t, living]: Parameters<Part>): Promise<EnvironmentHandle> => {
  const { runtime, handle } = living;
  let current = handle;
  if (runtime.abilities.snapshots === false) {
    await t.test("a runtime without snapshots says so", async (t) => {
      await rejectsWith(t, runtime.snapshot(handle, "x"), "SNAPSHOT_FAILED");
      const told = (error: Error) => error.message.includes(runtime.name);
      t.ok(await runtime.snapshot(handle, "x").then(() => false, told), "the message names this runtime");
    });
    return current;
  }

  await t.test("a rollback brings deleted files back, takes new ones away and ends what ran", async (t) => {
    const word = `9${unique()}`;
    await text(t, living, 'echo kept >/etc/kept.conf; echo home >"$HOME/kept"');
    const source = await mkdtemp(join(tmpdir(), "pth contract "));
    t.teardown(() => rm(source, { recursive: true, force: true }));
    await writeFile(join(source, "first"), "1");
    await runtime.mountSource(handle, source, handle.sourcePath);
    const snapshot = await runtime.snapshot(handle, "before it broke");
    await text(t, living, 'rm /etc/group /etc/kept.conf "$HOME/kept"; echo new >/etc/new.conf');
    await rm(join(source, "first"));
    await writeFile(join(source, "second"), "2");
    await runtime.mountSource(handle, source, handle.sourcePath);
    const child = await runtime.spawn(handle, ["sleep", word]);
    current = await runtime.rollback(handle, snapshot);
    await child.exited;
    const check = 'test -s /etc/group && cat /etc/kept.conf "$HOME/kept" && test ! -e /etc/new.conf';
    t.equal(await text(t, living, check, current), "kept\nhome");
    await runtime.mountSource(current, source, current.sourcePath);
    t.equal(
      await text(t, living, "ls first second 2>/dev/null; cat second", current),
      "second\n2",
      "the source is the host's",
    );
    t.equal(current.environmentId, handle.environmentId);
    t.equal((await runtime.inspect(current)).status, "running");
  });

  await t.test("a snapshot can be used twice, and forgotten", async (t) => {
    const snapshot = await runtime.snapshot(current, "again");
    for (const n of [1, 2]) {
      await text(t, living, `test ! -e /etc/round && echo ${n} >/etc/round`, current);
      current = await runtime.rollback(current, snapshot);
    }
    t.equal((await shell(living, "test -e /etc/round", current)).code, 1);
    await runtime.dropSnapshot(current, snapshot);
    await rejectsWith(t, runtime.rollback(current, snapshot), "NO_SUCH_SNAPSHOT");
    t.equal((await shell(living, "true", current)).code, 0, "a refused rollback does no harm");
  });
  return current;
};
