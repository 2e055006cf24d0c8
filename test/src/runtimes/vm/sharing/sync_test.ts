// Two folders of this host, one of them played to be a guest's.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import t, { type Test } from "tap";
import { execLocally, startLive } from "../../../../../src/runtimes/shared/local_process.ts";
import type { Guest } from "../../../../../src/runtimes/vm/guest.ts";
import { type Share, withShare } from "../../../../../src/runtimes/vm/sharing/share.ts";
import { syncSource } from "../../../../../src/runtimes/vm/sharing/sync.ts";
import { temporaryFolder } from "../../../../integration/temporary_folder.ts";

const env = { PATH: process.env.PATH ?? "" };

/** This host as a guest; `hasChanged` always says that it may have. */
const localGuest = (): Guest => ({
  exec: (words, options = {}) => execLocally({ words, env, cwd: options.cwd ?? "/" }, options),
  async spawn(words, options = {}) {
    const { kill, ...child } = await startLive({ words, env, cwd: options.cwd ?? "/" });
    return { ...child, kill: (signal) => Promise.resolve(kill(signal)) };
  },
  async copyIn(hostPath, envPath) {
    await execLocally({ words: ["cp", "-a", hostPath, envPath], env }, {});
  },
  copyOut: () => Promise.reject(new Error("not asked for here")),
  forward: () => Promise.reject(new Error("not asked for here")),
  ready: () => Promise.resolve(),
  hasChanged: () => Promise.resolve(true),
  setClock: () => Promise.resolve(),
  how: "this host",
  dropped: () => {},
  close: () => Promise.resolve(),
});

interface Both {
  host: string;
  inside: string;
  share: Share;
  guest: Guest;
}

async function both(t: Test, prepare: (host: string) => Promise<void> = async () => {}): Promise<Both> {
  const [host, inside] = [await temporaryFolder(t), await temporaryFolder(t)];
  await prepare(host);
  const guest = localGuest();
  const share = await syncSource({ guest, hostPath: host, envPath: inside });
  t.teardown(() => share.close());
  return { host, inside, share, guest: withShare(guest, share) };
}

const shell = (guest: Guest, inside: string, script: string) =>
  guest.exec(["sh", "-c", script], { cwd: inside });

t.test("edits of the host are in the guest when a command begins, its writing is on the host when it ends", async (t) => {
  const { host, inside, guest } = await both(t, (host) => writeFile(join(host, "old name"), "1"));
  t.equal((await shell(guest, inside, "cat 'old name'")).stdout, "1");
  await rm(join(host, "old name"));
  await mkdir(join(host, "new"));
  await writeFile(join(host, "new/file"), "2");
  t.equal(
    (await shell(guest, inside, "ls; cat new/file; echo 3 >new/written; rm new/file")).stdout,
    "new\n2",
  );
  t.same(await readdir(join(host, "new")), ["written"]);
  await shell(guest, inside, "rm -r new");
  t.same(await readdir(host), []);
});

t.test("what is installed stays on its own side, and what the source brought of it goes in once", async (t) => {
  const { host, inside, guest } = await both(t, async (host) => {
    await mkdir(join(host, "vendored/node_modules/dep"), { recursive: true });
    await writeFile(join(host, "vendored/node_modules/dep/index.js"), "dep");
  });
  t.equal((await shell(guest, inside, "cat vendored/node_modules/dep/index.js")).stdout, "dep");
  await shell(guest, inside, "mkdir node_modules; echo x >node_modules/y; mkdir .venv");
  t.same(await readdir(host), ["vendored"]);
});

t.test("an edit on the host is not lost to what a program wrote meanwhile", async (t) => {
  const { host, inside, guest } = await both(t, (host) => writeFile(join(host, "f"), "first"));
  const running = guest.exec(["sh", "-c", "echo up; sleep 0.3; echo program >f; echo also >g"], {
    cwd: inside,
    onOutput: () => void writeFile(join(host, "f"), "author's"),
  });
  await running;
  t.equal(await readFile(join(host, "f"), "utf8"), "author's");
  t.equal(await readFile(join(host, "g"), "utf8"), "also\n");
  t.equal((await shell(guest, inside, "cat f")).stdout, "author's");
});

t.test("after a rollback the guest has what the host has, and nothing else", async (t) => {
  const { host, inside, share, guest } = await both(t, (host) => writeFile(join(host, "kept"), "1"));
  await share.release();
  let began = false;
  const waiting = shell(guest, inside, "cat kept").then((result) => {
    began = true;
    return result;
  });
  await rm(join(inside, "kept")); // as an older state has it
  await writeFile(join(inside, "from before"), "x");
  t.equal(began, false, "commands wait until the guest is up to date");
  await share.regain();
  t.equal((await waiting).stdout, "1");
  t.same(await readdir(host), ["kept"]);
  t.same(await readdir(inside), ["kept"]);
});

t.test("many commands at a time share the comparing", async (t) => {
  const { host, inside, guest } = await both(t);
  await Promise.all(Array.from({ length: 10 }, (_, n) => shell(guest, inside, `echo ${n} >f${n}`)));
  t.equal((await readdir(host)).length, 10);
});
