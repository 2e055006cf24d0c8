import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import t from "tap";
import sandbox, { createSandbox } from "../../../src/runtimes/sandbox.ts";
import { text } from "../../contracts/runtime/context.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

t.setTimeout(120_000);
process.env.PTH_HOME = await temporaryFolder(t);
const images = process.env.PTH_BASE_IMAGE_DIR = await temporaryFolder(t);

/** A root of a few programs with their libraries: enough for a box, made in no time. */
function makeRootfs(rootfs: string): void {
  const programs = ["sh", "cat", "ls", "mkdir", "touch", "uname", "rm", "setsid", "setpriv"];
  const paths = programs.map((name) => execFileSync("sh", ["-c", `command -v ${name}`]).toString().trim());
  const libraries = paths.flatMap((path) => execFileSync("ldd", [path]).toString().match(/\/\S+/g) ?? []);
  for (const path of new Set([...paths, ...libraries])) {
    mkdirSync(dirname(join(rootfs, path)), { recursive: true });
    execFileSync("cp", ["-L", path, join(rootfs, path)]);
  }
  for (const folder of ["etc", "root", "bin"]) mkdirSync(join(rootfs, folder), { recursive: true });
  execFileSync("sh", ["-c", `test -e '${rootfs}/bin/sh' || cp -L /bin/sh '${rootfs}/bin/sh'`]);
  execFileSync("sh", [
    "-c",
    `echo from-image >'${rootfs}/etc/made-of'; echo root:x:0:0::/root:/bin/sh >'${rootfs}/etc/passwd'`,
  ]);
}

makeRootfs(join(images, "tiny/rootfs"));
const specOf = (image: string) => ({
  environmentId: `image-${randomUUID()}`,
  sessionId: `image-${randomUUID()}`,
  tier: 1 as const,
  image,
  env: {},
  resources: {},
});

for (const enter of ["bubblewrap", "util-linux"] as const) {
  t.test(`a box of an unpacked image shows the image, not the host (${enter})`, async (t) => {
    const runtime = createSandbox(enter);
    const spec = specOf("pth-base-tiny");
    let handle = await runtime.provision(spec);
    t.teardown(() => runtime.destroy(handle));
    const living = { runtime, handle, spec };
    t.equal(handle.image, "pth-base-tiny");
    t.equal(await text(t, living, "cat /etc/made-of"), "from-image");
    t.equal(
      await text(t, living, "cat /etc/hostname"),
      (await runtime.exec(handle, ["uname", "-n"])).stdout.trim(),
    );
    t.equal((await runtime.exec(handle, ["ls", "/usr/bin/node"])).code !== 0, true);

    const snapshot = await runtime.snapshot(handle, "first");
    await text(t, living, "rm /etc/made-of; touch /root/new");
    handle = await runtime.rollback(handle, snapshot);
    t.equal(await text(t, living, "cat /etc/made-of; ls /root", handle), "from-image");
  });
}

t.test("what is written in a box does not reach the image", async (t) => {
  const runtime = createSandbox();
  for (const round of [1, 2]) {
    const spec = specOf("tiny");
    const handle = await runtime.provision(spec);
    t.equal(
      await text(t, { runtime, handle, spec }, "ls /etc/mark 2>/dev/null || touch /etc/mark"),
      "",
      `${round}`,
    );
    await runtime.destroy(handle);
  }
});

t.test("an image that is not unpacked is told by the command that makes it", async (t) => {
  const readiness = await sandbox.probe("debian13");
  t.equal(readiness.ready, false);
  t.match(readiness.next, ["pth images unpack debian13"]);
  t.match((await sandbox.probe("debian99")).next?.[0], "Did you mean", "there is none of that name");
  t.equal((await sandbox.probe("../../etc")).ready, false, "a name is no path");
});
