/** A session's machine from its golden state to the first command, beside a plain `virsh create` that boots it. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import type { EnvironmentHandle } from "../../machines/model/environment.ts";
import { connectSsh } from "../../src/platform/ssh.ts";
import vm from "../../src/runtimes/vm.ts";
import { overlayDisk } from "../../src/runtimes/vm/disk.ts";
import { domainXml, netdev } from "../../src/runtimes/vm/domain_xml.ts";
import { goldenImagePlan, loginOf } from "../../src/runtimes/vm/golden.ts";
import { libvirtUri } from "../../src/runtimes/vm/hypervisor.ts";
import { vmState } from "../../src/runtimes/vm/state.ts";
import { freePortFrom } from "../../src/platform/sockets.ts";
import { median, type Row } from "./table.ts";
import { requireVmImage } from "../../src/runtimes/images/vm_images.ts";

const run = promisify(execFile);
const rounds = 3;
const commands = 20;
/** How long the plain boot may take, in ms. */
const bootWithin = 240_000;

export async function measureVm(): Promise<Row[]> {
  const readiness = await vm.probe();
  if (!readiness.ready) {
    console.error(`  without vm: ${readiness.reason}`);
    return [];
  }
  const runtime = vm.create();
  // The first one may still have to make the golden state.
  await runtime.destroy(await runtime.provision(spec()));
  const firsts: number[] = [];
  let handle: EnvironmentHandle | undefined;
  for (let round = 0; round < rounds; round++) {
    if (handle) await runtime.destroy(handle);
    firsts.push(
      await timed(async () => {
        handle = await runtime.provision(spec());
        await runtime.exec(handle, ["true"]);
      }),
    );
  }
  try {
    const inside = await measureInside(handle!);
    const emulated = vmState(handle!).plan.accelerator === "tcg";
    await runtime.destroy(handle!);
    return [
      {
        what: `vm: golden state to first command${emulated ? ", emulated" : ""}`,
        value: median(firsts),
        unit: "ms",
        plain: { tool: "virsh create", value: await plainBoot() },
        target: emulated ? "< 3000 ms" : "< 1000 ms",
      },
      ...inside,
    ];
  } finally {
    await runtime.destroy(handle!);
  }
}

let number = 0;
const spec = () => ({
  environmentId: `bench-vm-${process.pid}-${++number}`,
  sessionId: "bench",
  tier: 3 as const,
  env: {},
  resources: {},
});

async function measureInside(begun: EnvironmentHandle): Promise<Row[]> {
  const runtime = vm.create();
  let handle = begun;
  const [execs, rollbacks]: [number[], number[]] = [[], []];
  for (let round = 0; round < commands; round++) {
    execs.push(await timed(() => runtime.exec(handle, ["true"])));
  }
  let snapshot = "";
  const saving = await timed(async () => void (snapshot = await runtime.snapshot(handle, "bench")));
  for (let round = 0; round < rounds; round++) {
    rollbacks.push(await timed(async () => void (handle = await runtime.rollback(handle, snapshot))));
    await runtime.exec(handle, ["true"]);
  }
  const baseline = await runtime.fingerprint(handle);
  const drift = await timed(() => runtime.detectDrift(handle, baseline));
  const byHand = await timed(() => runtime.exec(handle, ["sh", "-c", driftByHand]));
  const health = await timed(() => runtime.healthCheck(handle));
  const raw = await rawExec(handle);
  return [
    {
      what: "vm: exec true",
      value: median(execs),
      unit: "ms",
      plain: { tool: "ssh2, a channel each", value: raw.channels },
    },
    {
      what: "vm: PTH's own part beside a kept shell",
      value: median(execs) - raw.shell,
      unit: "ms",
      target: "< 40 ms",
    },
    { what: "vm: snapshot with memory", value: saving, unit: "ms" },
    { what: "vm: rollback with memory", value: median(rollbacks), unit: "ms", target: "< 1000 ms" },
    { what: "vm: health", value: health, unit: "ms" },
    {
      what: "vm: drift check",
      value: drift,
      unit: "ms",
      plain: { tool: "dpkg-query, sha256sum by hand", value: byHand },
      target: "< 10000 ms",
    },
  ];
}

const driftByHand = "{ dpkg-query -W; find /etc -type f -exec sha256sum {} +; } >/dev/null 2>&1";

/** The same command through ssh2 alone: on a channel of its own, and as a line of one shell that stays. */
async function rawExec(handle: EnvironmentHandle): Promise<{ channels: number; shell: number }> {
  const { sshPort, user, privateKey, hostKey } = vmState(handle);
  const connection = await connectSsh({
    host: "127.0.0.1",
    port: sshPort,
    username: user,
    privateKey: await Deno.readTextFile(privateKey),
    hostKey,
  });
  try {
    const channels: number[] = [];
    for (let round = 0; round < commands; round++) {
      channels.push(
        await timed(async () => {
          const channel = await connection.run("true");
          channel.io.resume();
          await channel.ended;
        }),
      );
    }
    const { io } = await connection.run("sh");
    const lines: number[] = [];
    for (let round = 0; round < commands; round++) {
      lines.push(
        await timed(async () => {
          io.write("/bin/true; echo done\n");
          await once(io, "data");
        }),
      );
    }
    return { channels: median(channels), shell: median(lines) };
  } finally {
    await connection.end();
  }
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await act();
  return performance.now() - begun;
}

/** What a person would type: the same image on a disk of its own, booted, until SSH lets in. */
async function plainBoot(): Promise<number> {
  const image = await requireVmImage();
  const folder = await mkdtemp(join(tmpdir(), "pth-bench-vm-"));
  const virsh = (...args: string[]) => run("virsh", ["--quiet", "--connect", libvirtUri(), ...args]);
  const name = `pth-bench-plain-${process.pid}`;
  const disk = join(folder, "disk.qcow2");
  await overlayDisk(image.disk, disk, 8);
  const mark = { environmentId: name, sessionId: "bench", owner: { pid: process.pid } };
  const size = { cpus: Math.min(2, image.emulatedCpus), memoryMB: 1024, diskGB: 8 };
  const own = { name, mark, disk, console: join(folder, "console.log") };
  await writeFile(join(folder, "domain.xml"), domainXml(goldenImagePlan(image, size, "tcg", own)));
  try {
    return await timed(async () => {
      await virsh("create", join(folder, "domain.xml"));
      const port = await freePortFrom(22_000);
      await virsh("qemu-monitor-command", name, "--hmp", `hostfwd_add ${netdev} tcp:127.0.0.1:${port}-:22`);
      await untilLoggedIn({ host: "127.0.0.1", port, ...await loginOf(image) });
    });
  } finally {
    await virsh("destroy", name).catch(() => {}); // it never began
    await rm(folder, { recursive: true });
  }
}

async function untilLoggedIn(target: Parameters<typeof connectSsh>[0]): Promise<void> {
  for (const deadline = performance.now() + bootWithin;;) {
    try {
      return await (await connectSsh(target, { answerMs: 2000, timeoutMs: 30_000 })).end();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await wait(100); // it boots still
    }
  }
}
