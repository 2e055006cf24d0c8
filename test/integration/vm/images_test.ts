// test: timeout=300
import { readdirSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import t, { type Test } from "tap";
import type { PthError } from "../../../src/core/errors.ts";
import { rebuildImages } from "../../../src/app/environment/rebuild_images.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { uid } from "../../../src/platform/host.ts";
import { buildBaseImage, listImages, unpackBaseImage } from "../../../src/runtimes/images.ts";
import { planBootstrap } from "../../../src/runtimes/images/bootstrap.ts";
import { buildVmImage } from "../../../src/runtimes/images/build_vm.ts";
import { resolveImage } from "../../../src/runtimes/images/catalogue.ts";
import { bootstrapVm, planVmBootstrap } from "../../../src/runtimes/images/vm_bootstrap.ts";
import { findVmImage } from "../../../src/runtimes/images/vm_images.ts";
import { ownTmpdir, temporaryFolder } from "../../support/temporary_folder.ts";
import { nextStepsFor } from "../../../src/core/next_step.ts";

const debian = resolveImage("debian12-vm");
const plan = await planVmBootstrap(debian);
const needsMirror = plan.possible
  ? {}
  : { skip: `${plan.reason} (${nextStepsFor("terminal", plan.next).join("; ")})` };
const built = await findVmImage("debian12-vm");
const needsImage = built ? {} : { skip: "debian12-vm is not built (pth images build debian12-vm)" };

/** Sets a variable for the time of a test. */
function setVariable(t: Test, name: string, value: string): void {
  const before = process.env[name];
  process.env[name] = value;
  t.teardown(() => before === undefined ? delete process.env[name] : process.env[name] = before);
}

t.test(
  "a built image is listed with its age, size and origin, and needs no engine for that",
  needsImage,
  async (t) => {
    setVariable(t, "DOCKER_HOST", "unix:///no/such.sock");
    const found = (await listImages()).find(({ name }) => name === "debian12-vm")!;
    t.match(found, { kind: "vm", present: true, digest: /^sha256:/, how: /bootstrap of bookworm|Packer/ });
    t.ok(found.sizeMB! > 300 && found.ageDays! >= 0);
    t.type(found.stale, "boolean");
  },
);

t.test(
  "a built image has what its manifest names, and a key for its owner's eyes only",
  needsImage,
  async (t) => {
    const { disk, kernel, privateKey, hostKey } = built!;
    t.match((await runCommand(["qemu-img", "info", disk])).stdout, /file format: qcow2/);
    t.match((await runCommand(["qemu-img", "check", disk])).code, 0);
    t.match(
      (await readFile(kernel!)).subarray(0x202, 0x206).toString("latin1"),
      "HdrS",
      "a kernel that boots",
    );
    t.match((await runCommand(["ssh-keygen", "-y", "-f", privateKey])).stdout, /^ssh-ed25519 /);
    t.match(hostKey, /^ssh-ed25519 /);
    t.equal((await runCommand(["stat", "-c", "%a", privateKey])).stdout, "600\n");
  },
);

t.test("an interrupted build leaves nothing, and the image that was there", needsMirror, async (t) => {
  const folder = await temporaryFolder(t);
  setVariable(t, "PTH_BASE_IMAGE_DIR", folder);
  await mkdir(join(folder, "debian12-vm"));
  await writeFile(join(folder, "debian12-vm/was-there"), "");
  const temporary = await ownTmpdir(t);
  let used: string[] = [];
  const stop = new AbortController();
  const reason = new Error("enough");
  const building = buildVmImage(debian, {
    way: "bootstrap",
    signal: stop.signal,
    // In the middle of mmdebstrap's work, which has a folder of its own by then.
    onOutput: (text) => {
      if (!text.includes("downloading packages")) return;
      used = readdirSync(temporary);
      stop.abort(reason);
    },
  });
  t.equal(await building.catch((error) => error), reason);
  t.same(await readdir(folder), ["debian12-vm"]);
  t.same(await readdir(join(folder, "debian12-vm")), ["was-there"]);
  t.match(used.join(), /mmdebstrap\./);
  t.same(await readdir(temporary), [], "its temporary folders are gone");
});

t.test("a mirror that does not answer is told as that", needsMirror, async (t) => {
  const folder = await temporaryFolder(t);
  const unreachable = {
    ...plan as typeof plan & { possible: true },
    lines: ["deb [trusted=yes] http://127.0.0.1:9/debian bookworm main"],
  };
  const error = await bootstrapVm(debian, unreachable, folder, {}).catch((error) => error) as PthError;
  t.match(error, { code: "IMAGE_BUILD_FAILED", message: /mmdebstrap reached no mirror/ });
  t.match(error.context.output, /127\.0\.0\.1/);
});

t.test("a disk without room is told before anything is made", needsMirror, async (t) => {
  if (uid() !== 0) return t.comment("skipped: a small file system can be mounted by root only");
  const folder = await temporaryFolder(t);
  const mounted = await runCommand(["mount", "-t", "tmpfs", "-o", "size=20m", "pth-test", folder]);
  if (mounted.code !== 0) return t.comment(`skipped: no tmpfs can be mounted here: ${mounted.stderr}`);
  t.teardown(() => runCommand(["umount", folder]));
  setVariable(t, "PTH_BASE_IMAGE_DIR", folder);
  await t.rejects(buildBaseImage("debian12-vm", { way: "bootstrap" }), {
    code: "DISK_FULL",
    message: /Cannot build image debian12-vm: \d+ MiB are free, \d+ are needed/,
  });
  t.same(await readdir(folder), []);
});

t.test("an image that cannot be made here says what was tried and what would help", async (t) => {
  const folder = await temporaryFolder(t);
  setVariable(t, "PTH_BASE_IMAGE_DIR", folder);
  t.match(await planBootstrap(resolveImage("fedora-vm")), { possible: false });
  await t.rejects(buildBaseImage("fedora-vm", { way: "bootstrap" }), {
    code: "IMAGE_BUILD_FAILED",
    message: /Fedora cannot be made from an apt mirror/,
  });
  const stop = new AbortController();
  const answers = new Error("the host of cloud images answers");
  const error = await buildBaseImage("fedora-vm", {
    way: "packer",
    signal: stop.signal,
    onOutput: (text) => text.includes("carrying in") && stop.abort(answers),
  }).catch((error) => error) as PthError;
  if (error === answers) return t.comment("the host of cloud images answers: fedora-vm could be built");
  t.ok(["NETWORK_UNAVAILABLE", "IMAGE_BUILD_FAILED"].includes(error.code), error.message);
  t.match(nextStepsFor("terminal", error.context.next).join("\n"), /--from FILE|setup-host\.sh --with-vm/);
  t.same(await readdir(folder), []);
});

t.test("a rebuild tells a wrong name before anything is built, and what it does step by step", async (t) => {
  const folder = await temporaryFolder(t);
  setVariable(t, "PTH_BASE_IMAGE_DIR", folder);
  const heard: string[] = [];
  const onProgress = ({ message }: { message: string }) => heard.push(message);
  await t.rejects(rebuildImages(["fedora-vm", "debian12-vn"], { onProgress }), {
    code: "INVALID_INPUT",
    context: { next: ["Did you mean debian12-vm?"] },
  });
  t.same(heard, []);
  const stop = new AbortController();
  const reason = new Error("enough");
  const rebuilding = rebuildImages(["debian12-vm"], {
    signal: stop.signal,
    onProgress: (progress) => {
      onProgress(progress);
      if (heard.length === 2) stop.abort(reason);
    },
  });
  await t.rejects(rebuilding);
  t.equal(heard[0], "building debian12-vm");
  t.match(heard[1], /^(building debian12-vm: |no cloud image)/);
  t.same(await readdir(folder), []);
});

t.test("options of machines are refused for containers, and a machine is not unpacked", async (t) => {
  await t.rejects(buildBaseImage("debian12", { way: "packer" }), { code: "INVALID_INPUT" });
  await t.rejects(buildBaseImage("debian12-vm", { from: "/no/such.qcow2" }), { code: "INVALID_INPUT" });
  await t.rejects(unpackBaseImage("debian12-vm"), {
    code: "INVALID_INPUT",
    context: { next: ["pth images unpack debian12"] },
  });
});
