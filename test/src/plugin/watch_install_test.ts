import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { npmActivity, watchInstall } from "../../../src/plugin/watch_install.ts";
import { scriptedAccess } from "./helpers.ts";

t.test("what npm does is told by what is there: versions, packages, the script of a package", (t) => {
  t.equal(npmActivity("packages 0\n"), "npm asks the registry for versions");
  t.equal(npmActivity("packages 85\n"), "npm unpacks packages, 85 so far");
  t.equal(npmActivity(""), "npm asks the registry for versions");
  const running = "/proc/7/environ:npm_package_name=p\n/proc/9/environ:npm_lifecycle_event=postinstall\n" +
    "/proc/9/environ:npm_package_name=better-sqlite3\n";
  t.equal(npmActivity(`${running}packages 85\n`), "npm runs the postinstall script of better-sqlite3");
  const hostile = `/proc/9/environ:npm_lifecycle_event=\x1b[2J${
    "x".repeat(500)
  }\n/proc/9/environ:npm_package_name=p\n`;
  t.notOk(npmActivity(hostile).includes("\x1b"));
  t.ok(npmActivity(hostile).length < 200);
  t.end();
});

t.test("a silent install is looked at again and again until it ends, and no longer", async (t) => {
  const access = scriptedAccess([[/packages/, { stdout: "packages 3\n" }]]);
  const told: string[] = [];
  const watch = watchInstall(access, { folder: "/work/plugin", tell: (text) => told.push(text), everyMs: 5 });
  while (told.length < 2) await sleep(2);
  watch.stop();
  const [first] = told;
  t.equal(first, "npm unpacks packages, 3 so far");
  const looks = access.ran.length;
  await sleep(30);
  t.equal(access.ran.length, looks);
});

t.test("a look that fails says nothing, and the next one is made all the same", async (t) => {
  const access = scriptedAccess([]);
  let looks = 0;
  const failing = { ...access, exec: () => (looks++, Promise.reject(new Error("gone"))) };
  const watch = watchInstall(failing, { folder: "/", tell: () => t.fail("nothing was seen"), everyMs: 2 });
  while (looks < 3) await sleep(2);
  watch.stop();
});
