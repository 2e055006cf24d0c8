// test: own-process (the log is set up once in a process, and here it is set up otherwise)
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import { removeDetached } from "../../../src/platform/remove_detached.ts";

const folder = t.testdir({ tree: { file: "x" } });
process.env.PTH_LOG_FILE = join(folder, "log");

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
};

t.test("a removal that is over soon is waited for", async (t) => {
  await removeDetached(["rm", "-rf", "--", join(folder, "tree")], "the tree");
  t.notOk(existsSync(join(folder, "tree")));
});

t.test("a removal that fails soon is an error with its reason", async (t) => {
  await t.rejects(removeDetached(["sh", "-c", "exit 3"], "the tree"), {
    message: "Cannot remove the tree: it ended with 3",
  });
  await t.rejects(removeDetached([join(folder, "no-program")], "the tree"), {
    message: /Cannot remove the tree: .*ENOENT/,
  });
});

t.test("a removal that takes long is not waited for, and logged where it fails later", async (t) => {
  const [go, over] = [join(folder, "go"), join(folder, "over")];
  const script = 'until [ -e "$1" ]; do sleep 0.02; done; : > "$2"; exit 4';
  await removeDetached(["sh", "-c", script, "sh", go, over], "the tree");
  t.notOk(existsSync(over), "it still runs");
  writeFileSync(go, "");
  await until(() => existsSync(join(folder, "log")));
  t.match(readFileSync(join(folder, "log"), "utf8"), /"a removal has failed".*"it ended with 4"/);
});
