// test: timeout=600 group=vm
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { PthError } from "../../../src/core/errors.ts";
import { runCommand } from "../../../src/platform/process.ts";
import { catalogue } from "../../../src/runtimes/images/catalogue.ts";
import { findVmImage } from "../../../src/runtimes/images/vm_images.ts";
import { missingTools, packerFolder } from "../../../src/runtimes/images/vm_inputs.ts";
import { makeSeed, runPacker } from "../../../src/runtimes/images/plan_packer.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

const missing = await missingTools(["packer", "qemu-system-x86_64", "qemu-img", "ssh-keygen", "debugfs"]);
const image = await findVmImage("debian12-vm");
const needsPacker = missing.length > 0
  ? { skip: `${missing.join(", ")} not installed (scripts/setup-host.sh --with-vm)` }
  : {};
const needsImage = image === undefined
  ? { skip: "debian12-vm is not built (pth images build debian12-vm)" }
  : needsPacker;

/** Every variable that a build sets, with files that are there. */
async function makeVariables(t: Test, script: string) {
  const work = await temporaryFolder(t);
  const seed = await makeSeed(work, join(work, "seed"), {});
  await writeFile(join(work, "proof.txt"), "laid over the root\n");
  await runCommand(["tar", "-C", work, "-cf", join(work, "payload.tar"), "proof.txt"]);
  await writeFile(join(work, "script.sh"), script);
  const variables = {
    cloud_checksum: "none",
    output: join(work, "out"),
    key: seed.key,
    seed: seed.folder,
    payload: join(work, "payload.tar"),
    script: join(work, "script.sh"),
    accelerator: "tcg",
    processor: "max",
  };
  return { work, variables };
}

t.test("the template validates with every distribution's variables", needsPacker, async (t) => {
  const { work, variables } = await makeVariables(t, "true\n");
  for (const { folder } of catalogue.filter(({ kind }) => kind === "vm")) {
    const file = join(await packerFolder(), `${folder}.pkrvars.hcl`);
    await runPacker("validate", work, { files: [file], variables });
    t.match(
      await readFile(file, "utf8"),
      /^cloud_checksum = "file:https:/m,
      `${folder} is checked by its sum`,
    );
  }
});

t.test("a variable that is not there is told in Packer's words", needsPacker, async (t) => {
  const { work, variables } = await makeVariables(t, "true\n");
  const { key: _, ...rest } = variables;
  const error = await runPacker("validate", work, { variables: { ...rest, cloud_image: "x" } })
    .catch((error: PthError) => error) as PthError;
  t.equal(error.code, "IMAGE_BUILD_FAILED");
  t.match(error.context.output, /variable[\s\S]*key/i);
});

t.test("the template runs to an image", needsImage, async (t) => {
  const { work, variables } = await makeVariables(
    t,
    "#!/bin/sh\nset -eu\nuname -r >/etc/pth-kernel\ncp /proof.txt /etc/pth-proof\nsync\n",
  );
  // No cloud image can be downloaded everywhere: PTH's own disk stands for it, with the kernel that boots it.
  const { disk, kernel, initrd, kernelArguments, privateKey } = image!;
  const qemuargs = [["-kernel", kernel], ["-initrd", initrd], ["-append", kernelArguments]];
  const said: string[] = [];
  await runPacker("build", work, {
    variables: {
      ...variables,
      cloud_image: disk,
      key: privateKey,
      cpus: 2,
      memory: 1024,
      serial: join(work, "serial.log"),
      qemuargs: JSON.stringify(qemuargs),
    },
  }, { onOutput: (text) => said.push(text) });
  t.match(said.join(""), /Provisioning with shell script[\s\S]*finished/);

  const built = join(work, "out/disk.qcow2");
  t.ok((await stat(built)).size > 100e6);
  // Looked at without booting it a second time.
  const raw = join(work, "disk.raw");
  await runCommand(["qemu-img", "convert", "-O", "raw", built, raw]);
  const inside = async (file: string) =>
    (await runCommand(["debugfs", "-R", `cat ${file}`, raw], {
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
    }))
      .stdout;
  t.match(await inside("/etc/pth-kernel"), /^6\.\d+/);
  t.equal(await inside("/etc/pth-proof"), "laid over the root\n");
  await rm(raw);
});
