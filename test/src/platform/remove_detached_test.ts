// test: own-process (the log is set up once in a process, and here it is set up otherwise)
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import { holdsLittle, removeDetached } from "../../../src/platform/remove_detached.ts";

const many = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`${index}`, ""]));
const folder = t.testdir({ tree: { file: "x" }, small: {}, large: { one: { below: many } } });
process.env.PTH_LOG_FILE = join(folder, "log");

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
};

t.test("a folder holds little as long as it and those below have few entries", async (t) => {
  t.ok(await holdsLittle(join(folder, "tree")));
  t.notOk(await holdsLittle(join(folder, "large")));
  t.notOk(await holdsLittle(join(folder, "absent")));
});

t.test("a removal that is over soon is waited for", async (t) => {
  await removeDetached(["rm", "-rf", "--", join(folder, "tree")], join(folder, "tree"), "the tree");
  t.notOk(existsSync(join(folder, "tree")));
});

t.test("a removal that fails soon is an error with its reason", async (t) => {
  await t.rejects(removeDetached(["sh", "-c", "exit 3"], join(folder, "small"), "the tree"), {
    message: "Cannot remove the tree: it ended with 3",
  });
  for (const at of [join(folder, "small"), join(folder, "large")]) {
    await t.rejects(removeDetached([join(folder, "no-program")], at, "the tree"), {
      message: /Cannot remove the tree: .*ENOENT/,
    });
  }
});

t.test("a removal that takes long is not waited for, and logged where it fails later", async (t) => {
  const [go, over] = [join(folder, "go"), join(folder, "over")];
  const script = 'until [ -e "$1" ]; do sleep 0.02; done; : > "$2"; exit 4';
  await removeDetached(["sh", "-c", script, "sh", go, over], join(folder, "small"), "the tree");
  t.notOk(existsSync(over), "it still runs");
  writeFileSync(go, "");
  await until(() => existsSync(join(folder, "log")));
  t.match(readFileSync(join(folder, "log"), "utf8"), /"a removal has failed".*"it ended with 4"/);
});
