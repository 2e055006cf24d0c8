import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

t.test("where nobody listens, or nothing can, that is an error", async (t) => {
  const folder = await emptyFolder(t);
  const path = join(folder, "file");
  await writeFile(path, "");
  await t.rejects(connectToPath(join(folder, "nothing")), { code: "ENOENT" });
  await t.rejects(connectToPath(path), { code: /ECONNREFUSED|ENOTSOCK/ });
  await t.rejects(listenAtPath(path, () => {}), { code: "EADDRINUSE" });
  await t.rejects(listenAtPath(join(folder, "no folder", "sock"), () => {}));
});
