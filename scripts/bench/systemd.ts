/** Containers with systemd beside a plain `docker run` of the same image; rollbacks and environments started ahead. */
import { execFile } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import type { EnvironmentHandle, EnvironmentSpec } from "../../machines/model/environment.ts";
import docker from "../../src/runtimes/docker.ts";
import type { RuntimeDefinition } from "../../src/runtimes/runtime.ts";
import systemd from "../../src/runtimes/systemd.ts";
import { systemdInit } from "../../src/runtimes/systemd/systemd_host.ts";
import { WarmPool } from "../../src/runtimes/warm_pool/warm_pool.ts";
import { median, type Row } from "./table.ts";

const run = promisify(execFile);
const rounds = 3;
/** A container that is to be swapped in has this long to be ready, in ms. */
const background = 4000;

export async function measureSystemd(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const definition of [docker, systemd]) {
    const readiness = await definition.probe();
    if (!readiness.ready) {
      console.error(`  without ${definition.name}: ${readiness.reason}`);
      continue;
    }
    if (definition === systemd) rows.push(await measureReady());
    rows.push(...await measureWarm(definition));
  }
  return rows;
}

let number = 0;
const spec = (name: string): EnvironmentSpec => ({
  environmentId: `bench-${name}-${++number}`,
  sessionId: "bench",
  tier: name === "systemd" ? 2 : 1,
  env: {},
  resources: {},
});

/** From nothing until systemd says that the machine runs. */
async function measureReady(): Promise<Row> {
  const runtime = systemd.create();
  const [own, plain]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    const handle = await runtime.provision(spec("systemd"));
    own.push(performance.now() - begun);
    await runtime.destroy(handle);
    plain.push(await plainBoot());
  }
  return {
    what: "systemd: ready",
    value: median(own),
    unit: "ms",
    plain: { tool: "docker run", value: median(plain) },
    target: "< 1000 ms",
  };
}

/** What a person would type: the same image and rights, asked until it is up. */
async function plainBoot(kind = "systemd"): Promise<number> {
  const name = `bench-plain-${++number}`;
  const begun = performance.now();
  await run("docker", ["run", "-dt", "--name", name, ...(kind === "systemd" ? asMachine() : asContainer)]);
  try {
    await run("docker", ["exec", name, "sh", "-c", kind === "systemd" ? untilUp : "true"]);
    return performance.now() - begun;
  } finally {
    await run("docker", ["rm", "--force", name]);
  }
}

const asContainer = ["--entrypoint", "sleep", "pth-base-debian12", "infinity"];
const untilUp = "until systemctl is-system-running --wait | grep -q running; do sleep 0.02; done 2>/dev/null";

function asMachine(): string[] {
  const rights = ["--cap-add=ALL", "--cap-drop=SYS_RESOURCE", "--security-opt=seccomp=unconfined"];
  const mounts = ["--cgroupns=private", "--tmpfs=/run", "--tmpfs=/run/lock"];
  const [entry, ...args] = systemdInit;
  return [...rights, ...mounts, "--entrypoint", entry!, "pth-base-debian12-systemd", ...args];
}

/** Rollbacks with and without a container that stands ready, and the claim of an environment started ahead. */
async function measureWarm(definition: RuntimeDefinition): Promise<Row[]> {
  const { name } = definition;
  const runtime = definition.create();
  let handle = await runtime.provision(spec(name));
  const swapped: number[] = [];
  const started: number[] = [];
  try {
    for (const [times, warm] of [[started, "0"], [swapped, "1"]] as const) {
      Deno.env.set("PTH_WARM", warm);
      const snapshot = await runtime.snapshot(handle, `warm-${warm}`);
      for (let round = 0; round < rounds; round++) {
        if (warm === "1") await wait(background);
        const begun = performance.now();
        handle = await runtime.rollback(handle, snapshot);
        times.push(performance.now() - begun);
      }
    }
  } finally {
    await runtime.destroy(handle);
    Deno.env.delete("PTH_WARM");
  }
  return [
    {
      what: `${name}: rollback`,
      value: median(started),
      unit: "ms",
      plain: { tool: "docker run of another", value: await plainBoot(name) },
      target: "< 1000 ms",
    },
    { what: `${name}: rollback, kept ready`, value: median(swapped), unit: "ms", target: "< 50 ms" },
    { what: `${name}: claim of a warm one`, value: await claims(definition), unit: "ms", target: "< 50 ms" },
  ];
}

/** As a session does it: the one that was started ahead is taken once it has answered a command. */
async function claims(definition: RuntimeDefinition): Promise<number> {
  const runtime = definition.create();
  const pool = new WarmPool<EnvironmentHandle>({ limit: () => 1 });
  const taken: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await new Promise<void>((ready, reject) =>
      pool.prepare("one", {
        async make() {
          try {
            return await runtime.provision(spec(definition.name));
          } catch (error) {
            reject(error);
            throw error;
          } finally {
            ready();
          }
        },
        discard: (handle) => runtime.destroy(handle),
      })
    );
    const begun = performance.now();
    const handle = (await pool.claim("one"))!;
    await runtime.exec(handle, ["true"]);
    taken.push(performance.now() - begun);
    await runtime.destroy(handle);
  }
  return median(taken);
}
