import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { writeInside } from "../../../src/platform/write_inside.ts";

async function folders(t: Test) {
  const top = await mkdtemp(join(tmpdir(), "pth-inside-"));
  t.teardown(() => rm(top, { recursive: true }));
  const [inside, outside] = [join(top, "plugin"), join(top, "other")];
  await mkdir(inside);
  await mkdir(outside);
  return { inside, outside };
}

t.test("writes what differs, and says what that was", async (t) => {
  const { inside } = await folders(t);
  const files = [{ path: "a/b.txt", text: "b" }, { path: "c.txt", text: "c" }];
  t.same(await writeInside(inside, files), ["a/b.txt", "c.txt"]);
  t.same(await writeInside(inside, files), []);
  t.equal(await readFile(join(inside, "a/b.txt"), "utf8"), "b");
});

t.test("a link that leads out is refused, and nothing at all is written", async (t) => {
  const { inside, outside } = await folders(t);
  await symlink(outside, join(inside, ".pth"));
  const files = [{ path: "first.txt", text: "1" }, { path: ".pth/ci/x.txt", text: "x" }];
  await t.rejects(writeInside(inside, files), { code: "INVALID_INPUT" });
  await t.rejects(readFile(join(inside, "first.txt")));
  await t.rejects(readFile(join(outside, "ci/x.txt")));
});

t.test("a file that is a link is not written through", async (t) => {
  const { inside, outside } = await folders(t);
  await writeFile(join(outside, "README.md"), "theirs");
  await symlink(join(outside, "README.md"), join(inside, "README.md"));
  await t.rejects(writeInside(inside, [{ path: "README.md", text: "mine" }]), { code: "INVALID_INPUT" });
  t.equal(await readFile(join(outside, "README.md"), "utf8"), "theirs");
});
