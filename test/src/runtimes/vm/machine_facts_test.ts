import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { endOn, resumeReason, shutdownReason, tailOf } from "../../../../src/runtimes/vm/console_tail.ts";
import { snapshotsIn, vmSnapshotName } from "../../../../src/runtimes/vm/snapshots.ts";
import { enforcedLimits, rewriteHostAddresses, vmSize } from "../../../../src/runtimes/vm/state.ts";

t.test("a machine gets what was asked for, within what image and emulation allow", (t) => {
  const image = { emulatedCpus: 1 };
  t.same(vmSize({}, image, "kvm", 8), { cpus: 2, memoryMB: 1024, diskGB: 8 });
  t.same(vmSize({ cpus: 4, memoryMB: 512, diskGB: 20 }, image, "kvm", 8), {
    cpus: 4,
    memoryMB: 512,
    diskGB: 20,
  });
  t.equal(
    vmSize({ cpus: 4 }, image, "tcg", 8).cpus,
    1,
    "its kernel panics with more where it is emulated",
  );
  t.equal(vmSize({ cpus: 0.5 }, image, "kvm", 8).cpus, 1, "there is no half processor");
  t.same(vmSize({ memoryMB: 10, diskGB: 2 }, image, "kvm", 8), { cpus: 2, memoryMB: 384, diskGB: 8 });
  t.end();
});

t.test("a limit below what the machine needs is told as not enforced", (t) => {
  const size = { cpus: 1, memoryMB: 384, diskGB: 8 };
  t.same(enforcedLimits({ cpus: 2, memoryMB: 256, diskGB: 5 }, size), [
    { name: "cpus", value: 2, enforced: true },
    { name: "memoryMB", value: 256, enforced: false },
    { name: "diskGB", value: 5, enforced: false },
  ]);
  t.same(enforcedLimits({}, size), []);
  t.end();
});

t.test("the console tells how a machine ended", (t) => {
  const panic =
    "[  1.2] x\n[  1.3] Kernel panic - not syncing: VFS: Unable to mount root fs\n[  1.4] reboot: x";
  t.equal(shutdownReason(panic), "its kernel panicked: VFS: Unable to mount root fs");
  t.match(shutdownReason("[   9.1] reboot: Restarting system"), /rebooted from inside/);
  t.match(shutdownReason("[   9.1] reboot: Power down"), /switched off from inside/);
  t.equal(shutdownReason("login: "), undefined);
  t.equal(shutdownReason(`${panic}\n${resumeReason}\n`), undefined);
  t.match(
    shutdownReason(`${panic}\n${resumeReason}\n[   9.1] reboot: Power down`),
    /switched off from inside/,
  );
  t.equal(tailOf("a\r\n\u001b[1;31mb\u001b[0m\r\nc\n\n", 2), "b\nc");
  const reason = "[3.5] Kernel panic - not syncing: Attempted to kill init!";
  const trace = ["up", reason, "Call Trace:", "dump_stack", "do_exit"].join("\n");
  t.equal(tailOf(trace, 2), `${reason}\nCall Trace:`, "why it panicked is not lost to a long trace");
  t.equal(tailOf(`${trace}\n${resumeReason}\na\nb`, 2), "a\nb", "an earlier end is over");
  t.end();
});

t.test("a tag becomes a name that QEMU's monitor takes, and cannot add a command", (t) => {
  t.equal(vmSnapshotName("before it broke"), "s-before-it-broke");
  t.equal(vmSnapshotName("1"), "s-1", "never a number alone, which QEMU takes for an id");
  t.equal(vmSnapshotName("a\nquit\n"), "s-a-quit");
  t.equal(vmSnapshotName("golden"), "s-golden", "apart from the state that the machine came from");
  for (const tag of ["", " ", "--", "é"]) t.throws(() => vmSnapshotName(tag), { code: "SNAPSHOT_FAILED" });
  t.end();
});

t.test("snapshots are read from both of QEMU's tables", (t) => {
  const live = "List of snapshots present on all disks:\r\n" +
    "ID        TAG               VM SIZE                DATE     VM CLOCK     ICOUNT\r\n" +
    "--        golden            201 MiB 2026-11-22 09:01:56 00:00:52.123\r\n" +
    "--        s-one             210 MiB 2026-11-22 09:11:01 00:01:12.123\r\n";
  t.same(snapshotsIn(live), ["s-one"]);
  const atRest = "Snapshot list:\n" +
    "ID        TAG               VM SIZE                DATE     VM CLOCK     ICOUNT\n" +
    "1         golden            201 MiB 2026-11-22 09:01:56 00:00:52.123           \n" +
    "2         s-a.b-c           210 MiB 2026-11-22 09:11:01 00:01:12.123           \n";
  t.same(snapshotsIn(atRest), ["s-a.b-c"]);
  t.same(snapshotsIn("There is no snapshot available.\r\n"), []);
  t.end();
});

t.test("what listens on the host's loopback has another address inside", (t) => {
  t.same(
    rewriteHostAddresses({
      npm_config_registry: "http://localhost:4873/",
      HTTPS_PROXY: "http://u:p@127.0.0.1:3128",
      HTTP_PROXY: "http://[::1]",
      NO_PROXY: "localhost,127.0.0.1",
      ELSE: "https://localhost.example.org/",
    }),
    {
      npm_config_registry: "http://10.0.2.2:4873/",
      HTTPS_PROXY: "http://u:p@10.0.2.2:3128",
      HTTP_PROXY: "http://10.0.2.2",
      NO_PROXY: "localhost,127.0.0.1",
      ELSE: "https://localhost.example.org/",
    },
  );
  t.end();
});

t.test("a panic is told however long its trace", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "pth-console-"));
  t.teardown(() => rm(folder, { recursive: true }));
  const trace = "[  1.3]  ? handle_mm_fault+0xdb/0x2d0\r\n".repeat(100);
  await writeFile(join(folder, "console"), `[  1.3] Kernel panic - not syncing: sysrq\r\n${trace}`);
  t.equal(await endOn(join(folder, "console")), "its kernel panicked: sysrq");
  t.equal(await endOn(join(folder, "none")), undefined);
});
