import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import { knownTools, recordTools } from "../../../../src/runtimes/docker/known_tools.ts";

const folder = await mkdtemp(join(tmpdir(), "pth-tools-"));
const home = process.env.PTH_HOME;
process.env.PTH_HOME = folder;
t.teardown(async () => {
  if (home === undefined) delete process.env.PTH_HOME;
  else process.env.PTH_HOME = home;
  await rm(folder, { recursive: true });
});

t.test("the tools of an image are remembered by its id, for the latest images", async (t) => {
  t.equal(await knownTools("sha256:1"), undefined);
  for (let image = 0; image <= 20; image++) await recordTools(`sha256:${image}`, { node: `20.${image}` });
  t.same(await knownTools("sha256:20"), { node: "20.20" });
  t.same(await knownTools("sha256:1"), { node: "20.1" });
  t.equal(await knownTools("sha256:0"), undefined, "the oldest made room");
});

t.test("what an image says at length is not remembered", async (t) => {
  await recordTools("sha256:loud", { node: "1".repeat(3000) });
  t.equal(await knownTools("sha256:loud"), undefined);
});

t.test("entries of another shape, and a file that others may have written, say nothing", async (t) => {
  await writeFile(join(folder, "image_tools.json"), '{"a":{"node":"1.0"},"b":{"node":1},"c":"1.0"}');
  t.same(await Promise.all(["a", "b", "c"].map(knownTools)), [{ node: "1.0" }, undefined, undefined]);
  await chmod(folder, 0o777);
  t.equal(await knownTools("a"), undefined);
});
