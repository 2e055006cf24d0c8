// test: timeout=240 group=vm
/** What can be missing or broken around machines: each a clear error, and nothing left running. */
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import t, { type Test } from "tap";
import type { EnvironmentHandle, EnvironmentSpec } from "../../../machines/model/environment.ts";
import { PthError } from "../../../src/core/errors.ts";
import { imageDir } from "../../../src/platform/host.ts";
import { runCommand } from "../../../src/platform/process.ts";
import vm from "../../../src/runtimes/vm.ts";
import { hypervisor } from "../../../src/runtimes/vm/hypervisor.ts";
import { makeSpec, needsVm } from "./vm_subject.ts";
import { requireVmImage } from "../../../src/runtimes/images/vm_images.ts";
import { nextStepsFor } from "../../../src/core/next_step.ts";

t.setTimeout(240_000);

/** Sets a variable of PTH's for one test. */
function withVariable(t: Test, name: string, value: string): void {
  const before = process.env[name];
  process.env[name] = value;
  t.teardown(() => before === undefined ? delete process.env[name] : process.env[name] = before);
}

/** The error of provisioning; a machine that comes up all the same is removed, so that it fails this test only. */
async function refused(spec: EnvironmentSpec): Promise<PthError> {
  const runtime = vm.create();
  const result = await runtime.provision(spec).catch((cause: unknown) => cause);
  if (result instanceof PthError) return result;
  if (!(result instanceof Error)) await runtime.destroy(result as EnvironmentHandle);
  throw new Error(`expected a PthError, got ${result instanceof Error ? result : "a machine"}`);
}

/** No machine of the environment, and no golden state in the making, is left. */
async function nothingLeft(t: Test, { environmentId }: EnvironmentSpec): Promise<void> {
  const names = (await (await hypervisor()).domains()).map(({ name }) => name);
  const own = names.filter((name) => name.includes(environmentId) || name.endsWith(`-${process.pid}`));
  t.same(own, [], "no machine is left");
  const left = (await vm.leftovers()).filter(({ name }) => name.includes(environmentId));
  t.same(left.map(({ name }) => name), [], "no folder is left");
}

t.test("no libvirt where the variable leads", async (t) => {
  withVariable(t, "PTH_LIBVIRT_URI", "qemu+unix:///system?socket=/nowhere/libvirt-sock");
  const readiness = await vm.probe("debian12");
  t.equal(readiness.ready, false);
  t.match(readiness.reason, /Cannot connect to libvirt: .*nowhere/);
  t.match(nextStepsFor("terminal", readiness.next).join(" "), /setup-host\.sh --with-vm/);
  t.equal((await refused(makeSpec())).code, "RUNTIME_UNAVAILABLE");
  t.same((await vm.leftovers()).filter(({ kind }) => kind === "domain"), [], "nothing to see is no error");
});

t.test("an image that was not built, and one that there is not", needsVm, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "pth-no-images-"));
  t.teardown(() => rm(folder, { recursive: true }));
  withVariable(t, "PTH_BASE_IMAGE_DIR", folder);
  const missing = await refused(makeSpec());
  t.equal(missing.code, "IMAGE_MISSING");
  t.match(nextStepsFor("terminal", missing.context.next).join(" "), /pth images build debian12-vm/);
  t.equal((await refused(makeSpec({ image: "beos" }))).code, "IMAGE_MISSING");
});

/** An image folder like the real one but for what is given; removed with the test. */
async function brokenImage(t: Test, change: (folder: string) => Promise<void>): Promise<void> {
  const real = await requireVmImage("debian12");
  const folder = await mkdtemp(join(imageDir(), "broken-test-"));
  t.teardown(() => rm(folder, { recursive: true }));
  const own = join(folder, "debian12-vm");
  await mkdir(own);
  const manifest = JSON.parse(await readFile(join(real.folder, "image.json"), "utf8")) as Record<
    string,
    string
  >;
  for (const name of ["disk", "kernel", "initrd"]) {
    const file = manifest[name];
    if (file !== undefined) await symlink(join(real.folder, file), join(own, file));
  }
  await copyFile(real.privateKey, join(own, manifest.privateKey!));
  await writeFile(join(own, "image.json"), JSON.stringify(manifest));
  await change(own);
  withVariable(t, "PTH_BASE_IMAGE_DIR", folder);
}

t.test("a disk without a system: the kernel's panic is told, with the console", needsVm, async (t) => {
  await brokenImage(t, async (folder) => {
    const { disk } = JSON.parse(await readFile(join(folder, "image.json"), "utf8")) as { disk: string };
    await rm(join(folder, disk));
    await runCommand(["qemu-img", "create", "-q", "-f", "qcow2", join(folder, disk), "1G"]);
  });
  const spec = makeSpec();
  const error = await refused(spec);
  t.equal(error.code, "PROVISION_FAILED");
  t.match(error.message, /kernel panicked/);
  t.match(error.context.output, /Kernel panic/);
  t.match(nextStepsFor("terminal", error.context.next).join(" "), /pth images build debian12-vm/);
  await nothingLeft(t, spec);
});

t.test("a system whose sshd never answers is given up, with the console", needsVm, async (t) => {
  await brokenImage(t, async (folder) => {
    const file = join(folder, "image.json");
    const manifest = JSON.parse(await readFile(file, "utf8")) as { kernelArguments: string };
    manifest.kernelArguments += " systemd.mask=ssh.service";
    await writeFile(file, JSON.stringify(manifest));
  });
  withVariable(t, "PTH_VM_BOOT_TIMEOUT", "8");
  const spec = makeSpec();
  const error = await refused(spec);
  t.equal(error.code, "PROVISION_FAILED");
  t.match(error.message, /no sshd answered within 8 s/);
  await nothingLeft(t, spec);
});

t.test("an abort while a golden state is made leaves nothing", needsVm, async (t) => {
  await brokenImage(t, () => Promise.resolve());
  const spec = makeSpec();
  const reason = new Error("enough");
  await t.rejects(vm.create().provision(spec, AbortSignal.any([abortAfter(1500, reason)])), reason);
  await nothingLeft(t, spec);
});

function abortAfter(ms: number, reason: Error): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), ms);
  return controller.signal;
}
