import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import type { Method } from "../../../../src/runtimes/sandbox/isolation_support.ts";
import { recordMethod, workedBefore } from "../../../../src/runtimes/sandbox/worked_before.ts";

const hour = 60 * 60_000;
const method: Method = {
  userNamespace: false,
  lower: "overlay",
  data: "disk",
  enter: "bubblewrap",
  filtered: true,
};

const folder = await mkdtemp(join(tmpdir(), "pth-methods-"));
const home = process.env.PTH_HOME;
process.env.PTH_HOME = folder;
t.teardown(async () => {
  if (home === undefined) delete process.env.PTH_HOME;
  else process.env.PTH_HOME = home;
  await rm(folder, { recursive: true });
});

t.test("a method that worked is remembered for an hour, for its image alone, until it fails", async (t) => {
  t.notOk(await workedBefore(undefined, method, 1));
  await recordMethod(undefined, method, true, 1);
  await recordMethod("debian12", method, true, 2);
  t.ok(await workedBefore(undefined, method, hour));
  t.notOk(await workedBefore("debian13", method, hour));
  t.notOk(await workedBefore(undefined, { ...method, filtered: false }, hour));
  t.notOk(await workedBefore(undefined, method, hour + 1), "an hour later it is tried again");
  t.notOk(await workedBefore(undefined, method, 0), "so it is when the clock went back");
  await recordMethod("debian12", method, false, 3);
  t.notOk(await workedBefore("debian12", method, 4));
  t.ok(await workedBefore(undefined, method, 4), "of others nothing is forgotten");
});

t.test("a file that is torn, or that others may have written, says nothing", async (t) => {
  const file = join(folder, "sandbox_methods.json");
  const whole = await readFile(file, "utf8");
  await writeFile(file, whole.slice(0, -2));
  t.notOk(await workedBefore(undefined, method, 4));
  await writeFile(file, whole);
  await chmod(folder, 0o777);
  t.notOk(await workedBefore(undefined, method, 4));
  await chmod(folder, 0o700);
  t.ok(await workedBefore(undefined, method, 4));
});
