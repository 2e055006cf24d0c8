import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import { recordRefused, refusedBefore } from "../../../../src/runtimes/docker/refused_privileges.ts";

const hour = 60 * 60_000;
const [privileged, all] = ["privileged", "allCapabilities"].map((name) => ({ name, reason: "no" }));
const folder = await mkdtemp(join(tmpdir(), "pth-refused-"));
const socket = join(folder, "engine.sock");
const before = { home: process.env.PTH_HOME, engine: process.env.DOCKER_HOST };
process.env.PTH_HOME = folder;
t.teardown(async () => {
  for (const [name, value] of [["PTH_HOME", before.home], ["DOCKER_HOST", before.engine]] as const) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  await rm(folder, { recursive: true });
});

t.test("what an engine refused is remembered once each, until it starts anew, and for an hour", async (t) => {
  process.env.DOCKER_HOST = `unix://${socket}`;
  await writeFile(socket, "");
  t.same(await refusedBefore(), []);
  await recordRefused(privileged!, 0);
  await recordRefused(all!, 1);
  await recordRefused(all!, 2);
  t.same(await refusedBefore(hour), [privileged, all]);
  t.same(await refusedBefore(hour + 2), [], "an hour later it is asked again");
  await utimes(socket, 1, 1);
  t.same(await refusedBefore(3), [], "another engine has another socket");
  await writeFile(join(folder, "refused_privileges.json"), "{");
  t.same(await refusedBefore(3), [], "a torn file says nothing");
});

t.test("of an engine elsewhere, and of one that is gone, only this process remembers", async (t) => {
  for (const address of ["tcp://127.0.0.1:1", `unix://${folder}/gone.sock`]) {
    process.env.DOCKER_HOST = address;
    t.same(await refusedBefore(), []);
    await recordRefused(privileged!);
    t.same(await refusedBefore(), [privileged]);
  }
});
