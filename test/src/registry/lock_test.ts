import { lstat, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { spawn } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import { lockPath, readLock, releaseLock, takeLock } from "../../../src/registry/lock.ts";
import {
  makeRepository,
  prepare,
  rejection,
  temporaryWorld,
  textOf,
  writeFiles,
} from "../session/helpers.ts";
import { isOwnerAlive, startTimeOf, thisProcess } from "../../../src/platform/proc.ts";

const dead = { pid: 2 ** 22 + 1, startTime: "1", sessionId: "old", branch: "pth/x", timestamp: "2026-01-01" };

async function lockedBy(folder: string, lock: unknown): Promise<void> {
  await writeFiles(folder, {
    ".pth/active-session.lock": typeof lock === "string" ? lock : JSON.stringify(lock),
  });
}

t.test("a live lock refuses a second session and names the first", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, { "a.txt": "a" });
  const first = await prepare(folder);
  const error = await rejection(prepare(folder));
  t.equal(error.code, "SESSION_LOCKED");
  t.match(error.message, first.sessionId);
  t.match(error.context, { pid: process.pid, branch: first.branch, lock: lockPath(folder) });
  t.match(error.context.next, [/End/, { terminal: /--force/, mcp: /force: true/ }]);
  t.match(
    await readLock(folder),
    { alive: true, lock: { sessionId: first.sessionId } },
    "it stays the first's",
  );
});

t.test("force takes a live lock over, and its first owner no longer removes it", async (t) => {
  const { folder } = await temporaryWorld(t);
  await makeRepository(folder, { "a.txt": "a" });
  const first = await prepare(folder);
  const second = await prepare(folder, { force: true });
  t.match(second.notes.join(), /live session/);
  t.equal(await releaseLock(folder, first.sessionId), false);
  t.equal(await releaseLock(folder, second.sessionId), true);
  t.equal(await textOf(folder, ".pth/active-session.lock"), undefined);
});

t.test("a dead owner's lock is taken over with a note", async (t) => {
  const { folder } = await temporaryWorld(t);
  await lockedBy(folder, dead);
  const { taken, notes } = await takeLock(folder, { sessionId: "new" });
  t.equal(taken, true);
  t.match(notes, [/dead lock of session old \(pid 4194305/]);
});

t.test("a reused pid is not the owner", async (t) => {
  const { folder } = await temporaryWorld(t);
  await lockedBy(folder, { ...dead, pid: process.pid, startTime: "12345" });
  t.match(await readLock(folder), { alive: false });
  t.equal((await takeLock(folder, { sessionId: "new" })).taken, true);
});

for (const garbage of ["", "not json", "null", "[]", '{"pid":"x"}']) {
  t.test(`a lock file that holds ${JSON.stringify(garbage)} is a dead one`, async (t) => {
    const { folder } = await temporaryWorld(t);
    await lockedBy(folder, garbage);
    t.equal((await takeLock(folder, { sessionId: "new" })).taken, true);
  });
}

t.test("of many who want a dead lock, one gets it", async (t) => {
  const { folder } = await temporaryWorld(t);
  await lockedBy(folder, dead);
  const attempts = Array.from({ length: 20 }, (_, n) => takeLock(folder, { sessionId: `s${n}` }));
  const outcomes = await Promise.allSettled(attempts);
  t.equal(outcomes.filter((outcome) => outcome.status === "fulfilled").length, 1);
  const refused = outcomes.flatMap((outcome) => outcome.status === "rejected" ? [outcome.reason.code] : []);
  t.strictSame(new Set(refused), new Set(["SESSION_LOCKED"]));
});

t.test("where the lock cannot be written the session goes on and says so", async (t) => {
  const { folder } = await temporaryWorld(t);
  await writeFile(join(folder, ".pth"), "a file");
  const { taken, notes } = await takeLock(folder, { sessionId: "s" });
  t.equal(taken, false);
  t.match(notes, [/^No session lock: .* cannot be written/]);
  t.equal(await readLock(folder), undefined);
});

t.test("a .pth folder that holds more stays", async (t) => {
  const { folder } = await temporaryWorld(t);
  await mkdir(join(folder, ".pth/tests"), { recursive: true });
  await takeLock(folder, { sessionId: "s" });
  await releaseLock(folder, "s");
  await writeFile(join(folder, ".pth/tests/still.yaml"), "");
  t.equal(await textOf(folder, ".pth/active-session.lock"), undefined);
});

t.test("an owner is alive until its process ends", async (t) => {
  const child = spawn("sleep", ["30"]);
  const owner = { pid: child.pid!, startTime: await startTimeOf(child.pid!) ?? "" };
  t.equal(await isOwnerAlive(owner), true);
  t.equal(await isOwnerAlive({ ...owner, startTime: "1" }), false);
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await exited;
  t.equal(await isOwnerAlive(owner), false);
  t.equal(await isOwnerAlive(await thisProcess()), true);
});

t.test("a `.pth` that is a link to another folder stays, with what the link is for", async (t) => {
  const { folder } = await temporaryWorld(t);
  const elsewhere = join(folder, "elsewhere");
  await mkdir(elsewhere, { recursive: true });
  await symlink(elsewhere, join(folder, ".pth"));
  await takeLock(folder, { sessionId: "one" });
  t.equal(await releaseLock(folder, "one"), true);
  t.strictSame(await readdir(elsewhere), []);
  t.ok((await lstat(join(folder, ".pth"))).isSymbolicLink());
});
