// test: timeout=300 group=vm
/** What a machine can that no container can, and what happens when it ends by itself. One machine for all of it. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { release } from "node:os";
import t from "tap";
import { PthError } from "../../../src/core/errors.ts";
import vm from "../../../src/runtimes/vm.ts";
import { requireDomain } from "../../../src/runtimes/vm/guests.ts";
import { reachVm } from "../../../src/runtimes/vm/vm_spec.ts";
import { consoleOf, vmState } from "../../../src/runtimes/vm/state.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { makeSpec, needsVm } from "./vm_subject.ts";

t.setTimeout(300_000);

t.test("a machine", needsVm, async (t) => {
  const runtime = vm.create();
  const spec = makeSpec();
  const source = await temporaryFolder(t);
  await writeFile(join(source, "given.txt"), "from the host");
  let handle = await runtime.provision(spec);
  t.teardown(() => runtime.destroy(handle));
  const sh = async (script: string) => {
    const { stdout, stderr, code } = await runtime.exec(handle, ["sh", "-c", script]);
    t.equal(code, 0, `${script}: ${stderr}`);
    return stdout.trim();
  };

  await t.test("has a kernel, a systemd and a clock of its own", async (t) => {
    t.match(await runtime.mountSource(handle, source, handle.sourcePath), { method: "copy", writable: true });
    t.equal(await sh("cat given.txt"), "from the host");
    t.not(await sh("uname -r"), release());
    t.match(await sh("cat /proc/1/comm"), "systemd");
    await sh("echo 12345 >/proc/sys/kernel/threads-max; sysctl -n kernel.threads-max | grep -qx 12345");
    t.ok(Math.abs(Number(await sh("date +%s")) - Date.now() / 1000) < 30, "the host's time");
    const { network, status } = await runtime.inspect(handle);
    t.equal(status, "running");
    t.match(network, /KVM|emulated/, "says how fast it is");
  });

  const before = await runtime.snapshot(handle, "before");

  await t.test("is marked as the session's, and its owner lives", async (t) => {
    const mine = (await vm.leftovers()).filter(({ sessionId }) => sessionId === spec.sessionId);
    t.same(mine.map(({ kind }) => kind).sort(), ["disk", "domain"]);
    t.ok(mine.every(({ ownerLives }) => ownerLives));
  });

  await t.test("does not let in who has another key", async (t) => {
    const { privateKey, publicKey: _public } = await anotherKey();
    const { sshPort, user, hostKey } = vmState(handle);
    const target = { host: "127.0.0.1", port: sshPort, username: user, privateKey, hostKey };
    const domain = await requireDomain(handle);
    const error = await reachVm(domain, target, consoleOf(vmState(handle)), { withinMs: 30_000 })
      .then(() => undefined, (cause: unknown) => cause);
    t.match(error, { code: "ENVIRONMENT_LOST", context: { problem: "wrong-key" } });
  });

  await t.test("goes on without the agent that waited in it, and without a network", async (t) => {
    const killing = ["sh", "-c", "pkill -KILL -f 'python3 -ISu'; sleep 60"];
    const error = await runtime.exec(handle, killing).then(() => undefined, (cause: unknown) => cause);
    t.match(error, { code: "ENVIRONMENT_LOST" });
    t.equal(await sh("echo by SSH"), "by SSH");
    handle = await runtime.rollback(handle, before);
    t.equal(await sh("ip link set lo down && ip link set eth0 down && echo no network"), "no network");
  });

  await t.test("a full disk is the command's failure, and rolled back", async (t) => {
    const fill = "fallocate -l 1000G /fill 2>&1 || dd if=/dev/zero of=/fill bs=1M count=20 2>&1; " +
      "fallocate -l $(( $(df -Pk / | tail -n 1 | tr -s ' ' | cut -d' ' -f4) * 1024 )) /fill2; echo x >/more";
    const result = await runtime.exec(handle, ["sh", "-c", fill]);
    t.match(result.stdout + result.stderr, /No space left|File too large/);
    handle = await runtime.rollback(handle, before);
    await sh("test ! -e /fill2 && echo x >/more && rm /more");
  });

  for (
    const { name, script, told } of [
      { name: "a panic", script: "echo c >/proc/sysrq-trigger; sleep 60", told: /kernel panicked/ },
      { name: "a power-off", script: "systemctl poweroff --force --force; sleep 60", told: /switched off/ },
    ]
  ) {
    await t.test(`${name} in mid-test loses the environment, says so, and can be rolled back`, async (t) => {
      const error = await runtime.exec(handle, ["sh", "-c", script]).then(
        () => undefined,
        (cause: unknown) => cause,
      );
      t.ok(error instanceof PthError && error.code === "ENVIRONMENT_LOST", String(error));
      t.match((error as PthError).message, told);
      t.equal((await runtime.inspect(handle)).status, "gone");
      t.equal((await runtime.healthCheck(handle)).healthy, false);
      handle = await runtime.rollback(handle, before);
      t.match(await runtime.mountSource(handle, source, handle.sourcePath), {
        method: "copy",
        writable: true,
      });
      t.equal(await sh("cat given.txt"), "from the host");
    });
  }

  await t.test("a reboot is an end, too: what ran is lost", async (t) => {
    const script = "systemctl reboot --force --force; sleep 60";
    const error = await runtime.exec(handle, ["sh", "-c", script]).then(
      () => undefined,
      (cause: unknown) => cause,
    );
    t.match((error as PthError).message, /rebooted from inside/);
    t.match((error as PthError).code, "ENVIRONMENT_LOST");
  });
});

async function anotherKey(): Promise<{ privateKey: string; publicKey: string }> {
  const { default: ssh2 } = await import("ssh2");
  const pair = ssh2.utils.generateKeyPairSync("ed25519");
  return { privateKey: pair.private, publicKey: pair.public };
}
