import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { connectToPath, listenAtPath } from "../../../src/platform/sockets.ts";

async function emptyFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pth-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

t.test("what connects is heard and answered; closing drops it and removes the file", async (t) => {
  const path = join(await emptyFolder(t), "sock");
  const listener = await listenAtPath(path, (socket) => {
    socket.on("data", (chunk) => socket.write(`heard ${chunk}`));
  });
  t.equal((await stat(path)).mode & 0o777, 0o600, "for this user alone");
  const socket = await connectToPath(path);
  const answer = new Promise((resolve) => socket.once("data", (chunk) => resolve(String(chunk))));
  socket.write("hello");
  t.equal(await answer, "heard hello");
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await listener.close();
  await closed;
  await t.rejects(stat(path), { code: "ENOENT" });
});

t.test("a process that is started does not get hold of what listens or is connected", async (t) => {
  const path = join(await emptyFolder(t), "sock");
  const before = await inherited();
  const listener = await listenAtPath(path, (socket) => socket.resume());
  t.teardown(() => listener.close());
  const socket = await connectToPath(path);
  t.teardown(() => void socket.destroy());
  t.strictSame(await inherited(), before);
});

/** What a process that is started now inherits, beside its stdin, stdout and stderr. */
async function inherited(): Promise<string[]> {
  const { stdout } = await promisify(execFile)("sh", ["-c", "ls -l /proc/$$/fd"]);
  return [...stdout.matchAll(/(?<= (?:[3-9]|\d\d+) -> )socket:.*/g)].map(([name]) => name);
}

t.test("a peer that hangs up while it is written to harms nobody", async (t) => {
  const path = join(await emptyFolder(t), "sock");
  const closed: Promise<unknown>[] = [];
  const listener = await listenAtPath(path, (socket) => {
    closed.push(new Promise((resolve) => socket.once("close", resolve)));
    socket.write(new Uint8Array(1024 * 1024));
    socket.resume();
  });
  t.teardown(() => listener.close());
  const first = await connectToPath(path);
  first.destroy();
  const second = await connectToPath(path);
  let heard = 0;
  second.on("data", (chunk: Uint8Array) => heard += chunk.length);
  while (heard < 1024 * 1024) await once(second, "data");
  second.end();
  await Promise.all(closed);
  t.equal(closed.length, 2);
  t.equal(heard, 1024 * 1024, "all of it came to who stayed");
});

t.test("where nobody listens, or nothing can, that is an error", async (t) => {
  const folder = await emptyFolder(t);
  const path = join(folder, "file");
  await writeFile(path, "");
  await t.rejects(connectToPath(join(folder, "nothing")), { code: "ENOENT" });
  await t.rejects(connectToPath(path), { code: /ECONNREFUSED|ENOTSOCK/ });
  await t.rejects(listenAtPath(path, () => {}), { code: "EADDRINUSE" });
  await t.rejects(listenAtPath(join(folder, "no folder", "sock"), () => {}));
});
