/** The binding of libvirt's C API; starts no machine. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import t from "tap";
import { Hypervisor } from "../../../src/platform/libvirt.ts";
import { runsGuests } from "../../../src/runtimes/vm/acceleration.ts";
import { libvirtUri } from "../../../src/runtimes/vm/hypervisor.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { needsVm } from "./vm_subject.ts";

const failure = (promise: Promise<unknown>) => promise.then(() => undefined, (cause: unknown) => cause);

t.test("a hypervisor answers, and its errors carry libvirt's words and numbers", needsVm, async (t) => {
  const hypervisor = await Hypervisor.open(libvirtUri());
  t.match(await hypervisor.version(), /^libvirt \d+\.\d+\.\d+, QEMU \d+\.\d+\.\d+$/);
  t.match(await hypervisor.capabilities(), "<capabilities>");
  t.equal(await hypervisor.lookup("pth-there-is-no-such-machine"), undefined);
  t.ok(Array.isArray(await hypervisor.domains()));
  t.match(await failure(hypervisor.create("<domain/>")), {
    code: "EXEC_FAILED",
    message: /^Cannot create the machine: .*name/,
    context: { libvirt: { code: Number, domain: Number } },
  });
  await hypervisor.close();
  t.match(await failure(hypervisor.version()), { code: "RUNTIME_UNAVAILABLE" });
});

t.test("calls side by side each get their own error", needsVm, async (t) => {
  const hypervisor = await Hypervisor.open(libvirtUri());
  t.teardown(() => hypervisor.close());
  const asked = Array.from({ length: 24 }, (_, n) => n);
  const errors = await Promise.all(asked.map((n) => {
    const xml = `<domain type='qemu'><name>pth-x${n}</name></domain>`;
    return failure(n % 2 === 0 ? hypervisor.create(xml) : hypervisor.create(`<unknown-root-${n}/>`));
  }));
  for (const n of asked) {
    t.match((errors[n] as Error).message, n % 2 === 0 ? /os <type>/ : `unknown-root-${n}`);
  }
});

const daemon = "/run/libvirt/libvirt-sock";
const ownDaemon = libvirtUri() === "qemu:///system" && existsSync(daemon)
  ? needsVm
  : { skip: `the machine's daemon does not listen at ${daemon}` };

t.test("a daemon that went away and came back is asked over a new connection", ownDaemon, async (t) => {
  const path = join(await temporaryFolder(t), "libvirt");
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const way = connect(daemon);
    for (const [one, other] of [[client, way], [way, client]] as const) {
      open.add(one);
      one.on("error", () => {});
      one.once("close", () => other.destroy());
    }
    client.pipe(way).pipe(client);
  });
  server.listen(path);
  await once(server, "listening");
  t.teardown(() => server.close());
  const hypervisor = await Hypervisor.open(`qemu+unix:///system?socket=${encodeURIComponent(path)}`);
  t.teardown(() => hypervisor.close());
  for (let turn = 0; turn < 3; turn++) {
    for (const socket of open) socket.destroy();
    t.equal(await hypervisor.lookup("pth-there-is-no-such-machine"), undefined);
  }
});

t.test("a close while many calls wait for their turn leaves none waiting", needsVm, async (t) => {
  const hypervisor = await Hypervisor.open(libvirtUri());
  const calls = Array.from({ length: 12 }, () => failure(hypervisor.capabilities()));
  await hypervisor.close();
  const codes = (await Promise.all(calls)).map((error) => (error as { code?: string } | undefined)?.code);
  t.ok(codes.includes("RUNTIME_UNAVAILABLE"), "those behind are told");
  t.ok(codes.every((code) => code === undefined || code === "RUNTIME_UNAVAILABLE"), codes.join(" "));
});

t.test("the event loop is free while libvirt works", needsVm, async (t) => {
  const hypervisor = await Hypervisor.open(libvirtUri());
  t.teardown(() => hypervisor.close());
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 1);
  for (let n = 0; n < 20; n++) await hypervisor.capabilities();
  clearInterval(ticking);
  t.ok(ticks > 0, `${ticks} ticks`);
});

t.test("a daemon that refuses is told with the way out", needsVm, async (t) => {
  t.match(await failure(Hypervisor.open("qemu+tcp://127.0.0.1:1/system")), {
    code: "RUNTIME_UNAVAILABLE",
    message: /Cannot connect to libvirt: qemu\+tcp.*refused/,
    context: { next: [/setup-host\.sh --with-vm/, /PTH_LIBVIRT_URI/] },
  });
});

t.test("the probe for KVM says true or why not, and needs no more than its patience", async (t) => {
  const begun = performance.now();
  const outcome = await runsGuests("qemu-system-x86_64", 1000);
  t.ok(outcome === true || outcome.length > 5, String(outcome));
  t.ok(performance.now() - begun < 20_000);
  t.type(await runsGuests("/nowhere/qemu"), "string");
});
