import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import t, { type Test } from "tap";
import { describeVm, pruneVmImages } from "../../../../src/runtimes/images/build_vm.ts";
import { catalogue } from "../../../../src/runtimes/images/catalogue.ts";
import { findVmImage, type VmManifest, writeManifest } from "../../../../src/runtimes/images/vm_images.ts";
import { vmInputsDigest } from "../../../../src/runtimes/images/vm_inputs.ts";

const debian = catalogue.find(({ name }) => name === "debian12-vm")!;

/** A folder of images of this test's own. */
async function imageFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pth-images-"));
  const before = process.env.PTH_BASE_IMAGE_DIR;
  process.env.PTH_BASE_IMAGE_DIR = folder;
  t.teardown(async () => {
    if (before === undefined) delete process.env.PTH_BASE_IMAGE_DIR;
    else process.env.PTH_BASE_IMAGE_DIR = before;
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

const manifest: VmManifest = {
  name: "debian12-vm",
  disk: "disk.qcow2",
  kernel: "vmlinuz",
  initrd: "initrd.img",
  kernelArguments: "root=/dev/vda",
  emulatedCpus: 2,
  user: "root",
  privateKey: "id_ed25519",
  hostKey: "ssh-ed25519 AAAA pth",
  inputs: "sha256:0",
  builtAt: new Date(Date.now() - 2 * 86_400_000).toISOString(),
  how: "by hand",
};

async function makeImage(parent: string, more: Partial<VmManifest> = {}): Promise<string> {
  const folder = join(parent, "debian12-vm");
  await mkdir(folder);
  for (const file of ["disk.qcow2", "vmlinuz", "initrd.img", "id_ed25519"]) {
    await writeFile(join(folder, file), new Uint8Array(1_000_000));
  }
  await writeManifest(folder, { ...manifest, ...more });
  return folder;
}

t.test("a built image is found by its own name and by its distribution's, wherever its folder was moved", async (t) => {
  const folder = await makeImage(await imageFolder(t));
  for (const name of ["debian12-vm", "debian12", "pth-base-debian12-vm"]) {
    t.match(await findVmImage(name), {
      folder,
      disk: join(folder, "disk.qcow2"),
      kernel: join(folder, "vmlinuz"),
      privateKey: join(folder, "id_ed25519"),
      user: "root",
    });
  }
});

t.test("what was not built, and what PTH does not build, is not found", async (t) => {
  await imageFolder(t);
  t.equal(await findVmImage("debian12"), undefined);
  t.equal(await findVmImage("example/mine:2"), undefined);
  t.match(await describeVm(debian), { present: false, kind: "vm", tag: "debian12-vm" });
});

t.test("a broken image says what is wrong with it, and how to have a whole one", async (t) => {
  const parent = await imageFolder(t);
  const folder = await makeImage(parent);
  const next = [{ terminal: "Build it anew: pth images build debian12-vm" }];
  await rm(join(folder, "vmlinuz"));
  await t.rejects(findVmImage("debian12"), {
    code: "IMAGE_MISSING",
    message: /vmlinuz is missing/,
    context: { next },
  });
  t.match(await describeVm(debian), { present: false, how: /vmlinuz is missing/ });
  await writeFile(join(folder, "image.json"), '{ "name": "debian12-vm", "emulatedCpus": 0 }');
  await t.rejects(findVmImage("debian12"), { code: "IMAGE_MISSING", message: /emulatedCpus/ });
  await writeFile(join(folder, "image.json"), "{");
  await t.rejects(findVmImage("debian12"), { code: "IMAGE_MISSING", message: /image\.json does not read/ });
});

t.test("the list tells age, size, golden states, and whether the scripts changed since", async (t) => {
  const parent = await imageFolder(t);
  const folder = await makeImage(parent);
  await mkdir(join(folder, "golden/key"), { recursive: true });
  await writeFile(join(folder, "golden/key/disk.qcow2"), new Uint8Array(3_000_000));
  t.match(await describeVm(debian), { present: true, ageDays: 2, sizeMB: 4, goldenMB: 3, stale: true });
  const inputs = await vmInputsDigest(debian, "bootstrap");
  await writeManifest(folder, { ...manifest, inputs });
  t.match(await describeVm(debian), { stale: false });
});

t.test("each way and each distribution has inputs of its own", async (t) => {
  const machines = catalogue.filter(({ kind }) => kind === "vm");
  const digests = await Promise.all(
    machines.flatMap((image) => [vmInputsDigest(image, "bootstrap"), vmInputsDigest(image, "packer")]),
  );
  t.equal(new Set(digests).size, machines.length * 2);
});

t.test("pruning removes what killed builds left, spares a build that may still run, and images unless all are meant", async (t) => {
  const parent = await imageFolder(t);
  await makeImage(parent);
  for (const name of ["debian12-vm.building-old", "debian12-vm.building-now", "mine"]) {
    await mkdir(join(parent, name));
  }
  const yesterday = new Date(Date.now() - 86_400_000);
  await utimes(join(parent, "debian12-vm.building-old"), yesterday, yesterday);
  const machines = catalogue.filter(({ kind }) => kind === "vm");
  t.same(await pruneVmImages(machines, false), [join(parent, "debian12-vm.building-old")]);
  t.same(await pruneVmImages(machines, true), [join(parent, "debian12-vm")]);
  t.same((await readdir(parent)).sort(), ["debian12-vm.building-now", "mine"]);
});
