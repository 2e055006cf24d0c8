import { readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { PthError } from "../../../../src/errors.ts";
import { catalogue, imageReference, resolveImage, tagOf } from "../../../../src/runtimes/images/catalogue.ts";
import { imagesFolder, inputsDigest } from "../../../../src/runtimes/images/context.ts";

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
    t.match((error as PthError).context.next, [/debian12, debian13, ubuntu2404, fedora/]);
  }
  t.end();
});

t.test("an image of the user's own is taken as it stands", (t) => {
  t.equal(imageReference("example/mine:2"), "example/mine:2");
  t.end();
});

t.test("each image has a Dockerfile that starts from the base it names", async (t) => {
  const folder = await imagesFolder();
  for (const { name, from } of catalogue.filter(({ kind }) => kind === "container")) {
    const text = await readFile(join(folder, name, "Dockerfile"), "utf8");
    t.match(text, new RegExp(`^ARG BASE_IMAGE=${from}$`, "m"), name);
    t.match(text, /^FROM \$\{BASE_IMAGE\}$/m);
    t.match(await inputsDigest(name), /^sha256:[0-9a-f]{64}$/);
  }
  t.not(await inputsDigest("debian12"), await inputsDigest("debian13"));
});
