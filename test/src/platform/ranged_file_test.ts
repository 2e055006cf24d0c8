import { appendFile, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { fileIdentity, openRanges } from "../../../src/platform/ranged_file.ts";

const folder = await mkdtemp(join(tmpdir(), "pth-ranges-"));
t.teardown(() => rm(folder, { recursive: true }));

t.test("a file is read from anywhere, and as far as it goes", async (t) => {
  const path = join(folder, "digits");
  await writeFile(path, "0123456789");
  const file = await openRanges(path);
  const into = new Uint8Array(4);
  t.equal(file.read(into, 3), 4);
  t.equal(new TextDecoder().decode(into), "3456");
  t.equal(file.read(into, 4), 4);
  t.equal(new TextDecoder().decode(into), "4567");
  t.equal(file.read(into, 8), 2);
  t.equal(file.read(into, 9), 1);
  t.equal(file.read(into, 99), 0);
  await appendFile(path, "x");
  t.equal(await file.size(), 11);
  t.equal(file.read(into, 10), 1);
  await file.close();
  t.throws(() => file.read(into, 0), /is closed/);
});

t.test("what was opened stays readable when its name goes to another file, and away", async (t) => {
  const path = join(folder, "first");
  await writeFile(path, "first");
  await writeFile(`${path}.new`, "second");
  const file = await openRanges(path);
  t.same(await fileIdentity(path), { identity: file.identity, size: 5 });
  await rename(`${path}.new`, path);
  const now = await fileIdentity(path);
  t.equal(now?.size, 6);
  t.not(now?.identity, file.identity);
  await rm(path);
  t.equal(await fileIdentity(path), undefined);
  t.equal(await fileIdentity(join(folder, "digits", "below")), undefined);
  const into = new Uint8Array(9);
  t.equal(file.read(into, 0), 5);
  await file.close();
});

t.test("what is no plain file is refused", async (t) => {
  await t.rejects(openRanges(join(folder, "nowhere")), { code: "ENOENT" });
  await t.rejects(openRanges(folder), { code: "EISDIR" });
  await t.rejects(openRanges("/dev/null"), { code: "EINVAL" });
});
