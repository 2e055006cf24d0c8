import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { PthError } from "../../../../src/core/errors.ts";
import { catalogue, imageReference, resolveImage, tagOf } from "../../../../src/runtimes/images/catalogue.ts";
import { imagesFolder, inputsDigest, makeContext } from "../../../../src/runtimes/images/context.ts";

t.test("an image answers to its name and to its tag", (t) => {
  for (const name of ["debian12", "pth-base-debian12", "pth-base-debian12:latest"]) {
    t.equal(resolveImage(name).name, "debian12");
    t.equal(imageReference(name), "pth-base-debian12");
  }
  t.equal(tagOf("fedora"), "pth-base-fedora");
  t.end();
});

t.test("a mistyped image is refused with the names that there are", (t) => {
  try {
    resolveImage("debian21");
    t.fail("must throw");
  } catch (error) {
    t.equal((error as PthError).code, "INVALID_INPUT");
    t.match((error as PthError).context.next, [
      "Did you mean debian12?",
      /debian12, debian13, ubuntu2404, fedora/,
    ]);
  }
  t.end();
});

t.test("an image of the user's own is taken as it stands", (t) => {
  t.equal(imageReference("example/mine:2"), "example/mine:2");
  t.end();
});

t.test("each image has a Dockerfile that starts from the base it names", async (t) => {
  const folder = await imagesFolder();
  for (const image of catalogue.filter(({ kind }) => kind === "container")) {
    const { name, from } = image;
    const text = await readFile(join(folder, name, "Dockerfile"), "utf8");
    t.match(text, new RegExp(`^ARG BASE_IMAGE=${from}$`, "m"), name);
    t.match(text, /^FROM \$\{BASE_IMAGE\}$/m);
    t.match(await inputsDigest(image), /^sha256:[0-9a-f]{64}$/);
  }
  const digests = catalogue.filter(({ kind }) => kind !== "vm").map((image) => inputsDigest(image));
  t.equal(new Set(await Promise.all(digests)).size, digests.length, "no two are made of the same");
});

t.test("a variant with systemd is made from its own files, whatever the distribution", async (t) => {
  const image = resolveImage("debian13-systemd");
  const { folder, files } = await makeContext(image);
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  t.same((await readdir(folder)).sort(), files.toSorted());
  t.match(await readFile(join(folder, "Dockerfile"), "utf8"), /^STOPSIGNAL SIGRTMIN\+3$/m);
  const script = await readFile(join(folder, "provision.sh"), "utf8");
  for (const unit of ["systemd-sysctl", "systemd-timesyncd", "systemd-udevd", "systemd-modules-load"]) {
    t.match(script, `${unit}.service`, `${unit} writes to the host's kernel`);
  }
});
