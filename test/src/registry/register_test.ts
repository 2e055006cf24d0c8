import { appendFile, mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";
import t from "tap";
import { listSessions, openRegister } from "../../../src/registry/register.ts";
import { temporaryWorld, textOf } from "../session/helpers.ts";

const find = async (sessionId: string) =>
  (await listSessions()).find((session) => session.sessionId === sessionId);

t.test("what is about to be made is on the disk before, and struck off when it is gone", async (t) => {
  await temporaryWorld(t);
  const register = await openRegister("one");
  await register.willCreate({ kind: "worktree", name: "/w", repository: "/r" });
  await register.willCreate({ kind: "branch", name: "b" });
  t.match(await textOf(register.path), /"will_create".*"\/w"/);
  t.strictSame(await readdir(dirname(register.path)), ["one.jsonl"]);
  await register.created({ kind: "worktree", name: "/w" });
  await register.removed({ kind: "branch", name: "b" });
  t.match(await find("one"), { alive: true, kept: false, owner: { pid: process.pid } });
  t.strictSame((await find("one"))?.entries, [{ kind: "worktree", name: "/w", repository: "/r" }]);
  await register.close();
  t.equal(await find("one"), undefined);
});

t.test("a line that a kill cut short is passed over", async (t) => {
  await temporaryWorld(t);
  const register = await openRegister("cut");
  await register.willCreate({ kind: "lock", name: "/l" });
  await appendFile(register.path, '{"event":"will_cre');
  t.strictSame((await find("cut"))?.entries, [{ kind: "lock", name: "/l" }]);
});

t.test("a session whose process is gone is dead; one that was kept says so", async (t) => {
  await temporaryWorld(t);
  const register = await openRegister("live");
  const gone = register.path.replace("live", "gone");
  await writeFile(gone, '{"event":"opened","sessionId":"gone","at":"x","pid":4194305,"startTime":"1"}\n');
  t.match(await find("gone"), { alive: false });
  await register.close({ kept: true });
  t.match(await find("live"), { kept: true });
});

t.test("a home that cannot be written is no obstacle", async (t) => {
  const { home } = await temporaryWorld(t);
  await mkdir(dirname(home), { recursive: true });
  await writeFile(home, "a file where the folder should be");
  const register = await openRegister(`fallback-${process.pid}`);
  t.match(register.path, /^\/tmp\/pth-\d+\/sessions\//);
  t.match(await find(`fallback-${process.pid}`), { alive: true });
  await register.close();
});
