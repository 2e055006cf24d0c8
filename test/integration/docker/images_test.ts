import { readdirSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import type { PthError } from "../../../src/core/errors.ts";
import { connectEngine } from "../../../src/runtimes/docker/engine.ts";
import { buildBaseImage, listImages, unpackBaseImage } from "../../../src/runtimes/images.ts";
import { ownTmpdir } from "../../support/temporary_folder.ts";
import { needsDocker } from "./docker_subject.ts";

t.setTimeout(550_000);

/** What a build may leave in the engine if it is not careful: layers, containers. */
async function traces(): Promise<string[]> {
  const engine = await connectEngine();
  const images = await engine.listImages({ all: true, filters: { label: ["pth.build"] } });
  const containers = await engine.listContainers({ all: true, filters: { label: ["pth.build"] } });
  // Layers of finished images, and containers of environments, belong there.
  const unfinished = images.filter(({ RepoTags, Labels }) =>
    (RepoTags ?? []).every((tag) => tag === "<none>:<none>") && !Labels["pth.image"]
  );
  const building = containers.filter(({ Labels }) => !Labels["pth.session"]);
  return [...unfinished, ...building].map(({ Id }) => Id).sort();
}

const isNew = (before: string[]) => (name: string): boolean => !before.includes(name);

t.test("an unknown image is refused before anything starts", async (t) => {
  await t.rejects(buildBaseImage("debian21"), { code: "INVALID_INPUT" });
});

t.test("without an engine all images are told, and none is present", async (t) => {
  const before = process.env.DOCKER_HOST;
  process.env.DOCKER_HOST = "unix:///no/such.sock";
  t.teardown(() => before === undefined ? delete process.env.DOCKER_HOST : process.env.DOCKER_HOST = before);
  // Virtual machines need no engine.
  const images = (await listImages()).filter(({ kind }) => kind !== "vm");
  const names = images.map(({ name }) => name);
  t.match(names, ["debian12", "debian13", "ubuntu2404", "fedora", "debian12-systemd", "debian13-systemd"]);
  t.ok(images.every(({ present, unknown, how }) => !present && unknown && /no engine answers/.test(how)));
  await t.rejects(buildBaseImage("debian12"), { code: "RUNTIME_UNAVAILABLE" });
});

t.test("images", needsDocker, async (t) => {
  await t.test("a built image tells its age, digest, size and origin", async (t) => {
    const debian = (await listImages()).find(({ name }) => name === "debian12")!;
    t.match(debian, { present: true, tag: "pth-base-debian12", digest: /^sha256:/, how: /\w/ });
    t.ok(debian.ageDays! >= 0 && debian.sizeMB! > 100);
    t.type(debian.stale, "boolean");
    t.ok(Date.parse(debian.createdAt!) <= Date.now());
  });

  await t.test("an interrupted build leaves nothing, and the image that was there", async (t) => {
    const tagged = async () => (await listImages()).map(({ digest }) => digest);
    const [before, images] = [await traces(), await tagged()];
    const folder = await ownTmpdir(t);
    let used = false;
    const stop = new AbortController();
    const reason = new Error("enough");
    let installing = false;
    const building = buildBaseImage("debian13", {
      signal: stop.signal,
      // In the middle of the step that installs packages.
      onOutput: (text) => {
        used ||= readdirSync(folder).length > 0;
        installing ||= /: RUN sh /.test(text);
        if (installing && /Get:/.test(text)) stop.abort(reason);
      },
    });
    t.equal(await building.catch((error) => error), reason);
    t.same((await traces()).filter(isNew(before)), []);
    t.same([used, await readdir(folder)], [true, []], "its temporary folders are gone");
    t.same(await tagged(), images);
  });

  await t.test("an image that cannot be made here says what was tried and what would help", async (t) => {
    const stop = new AbortController();
    const pulls = new Error("a registry answers");
    const error = await buildBaseImage("fedora", {
      signal: stop.signal,
      onOutput: (text) => /Pulling from|carrying in/.test(text) && stop.abort(pulls),
    }).catch((error: PthError) => error);
    if (error === pulls) return t.comment("a registry answers here: fedora could be built");
    t.match(error, { code: "IMAGE_BUILD_FAILED", message: /^Cannot build image fedora: / });
    t.match((error as PthError).context.tried?.join("\n"), /docker pull fedora:latest: .*\nbootstrap: /);
    t.ok((error as PthError).context.next!.length >= 2);
  });

  await t.test("an unpack that fails says what tar says, not that the engine went away", async (t) => {
    const folder = t.testdir({ images: {} });
    await writeFile(join(folder, "tar"), "#!/bin/sh\necho No space left on device >&2; exit 2\n", {
      mode: 0o755,
    });
    const before = { ...process.env };
    t.teardown(() => {
      for (const name of ["PATH", "PTH_BASE_IMAGE_DIR"]) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    });
    process.env.PTH_BASE_IMAGE_DIR = join(folder, "images");
    process.env.PATH = `${folder}:${before.PATH}`;
    await t.rejects(unpackBaseImage("debian12"), {
      code: "DISK_FULL",
      message: "Cannot unpack image debian12: the disk is full",
    });
    t.same(await readdir(join(folder, "images")), [], "nothing half-made");
  });

  await t.test("an image unpacks into a folder that a sandbox can stand on", async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "pth-unpack-"));
    const before = process.env.PTH_BASE_IMAGE_DIR;
    process.env.PTH_BASE_IMAGE_DIR = folder;
    t.teardown(async () => {
      if (before === undefined) delete process.env.PTH_BASE_IMAGE_DIR;
      else process.env.PTH_BASE_IMAGE_DIR = before;
      await rm(folder, { recursive: true, force: true });
    });
    const rootfs = await unpackBaseImage("pth-base-debian12");
    t.equal(rootfs, join(folder, "debian12/rootfs"));
    t.match(await readFile(join(rootfs, "etc/os-release"), "utf8"), /bookworm/);
    t.ok((await stat(join(rootfs, "usr/local/bin/node"))).mode & 0o111);
    t.same(await readdir(join(folder, "debian12")), ["rootfs"], "nothing half-made beside it");
    t.equal((await listImages()).find(({ name }) => name === "debian12")!.unpacked, rootfs);
  });
});
