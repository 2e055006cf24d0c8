import { randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import process from "node:process";
import t from "tap";
import { createSandbox } from "../../../src/runtimes/sandbox.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

t.setTimeout(120_000);
const home = process.env.PTH_HOME = await temporaryFolder(t);

for (const enter of ["bubblewrap", "util-linux"] as const) {
  t.test(`root inside cannot get out of a box made with ${enter}`, async (t) => {
    const runtime = createSandbox(enter);
    const spec = {
      environmentId: `out-${randomUUID()}`,
      sessionId: "out",
      tier: 1 as const,
      env: {},
      resources: {},
    };
    const handle = await runtime.provision(spec);
    t.teardown(() => runtime.destroy(handle));
    const attempt = (script: string) => runtime.exec(handle, ["sh", "-c", script]);
    const host = (await readdir(home)).join();
    t.match(host, "boxes");

    for (
      const script of [
        "umount /", // what covers the host's root
        "umount /etc",
        "mount -t tmpfs x /mnt",
        "mknod /root/disk b 254 0",
        // Opened for writing and nothing written: were it open, it would be the setting of the whole machine.
        ": >>/proc/sys/kernel/core_pattern",
        ": >>/proc/sys/vm/drop_caches",
        `ls '${home}'`,
        `ls '/proc/1/root${home}'`,
        "test -e /proc/sysrq-trigger && : >>/proc/sysrq-trigger",
        "nsenter -t 1 -m true",
      ]
    ) {
      t.not((await attempt(script)).code, 0, script);
    }
    // The classic way out of a changed root: keep a folder above it open.
    const climb = `import os; os.mkdir("/root/x"); os.chroot("/root/x")
for _ in range(30): os.chdir("..")
os.chroot("."); print(os.path.exists("${home}"), os.path.exists("/etc"))`;
    const climbed = await runtime.exec(handle, ["python3", "-c", climb]);
    t.equal(climbed.stdout, "False True\n", climbed.stderr);
  });
}
