import { join } from "node:path";
import process from "node:process";
import t from "tap";
import { holdLocks } from "../../../src/registry/hold_locks.ts";
import { readLock } from "../../../src/registry/lock.ts";
import { listSessions } from "../../../src/registry/register.ts";
import { mkdir } from "../../../src/platform/files.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

t.test("locks of several plugins stand in a register until they are released; all or none is held", async (t) => {
  const folder = await temporaryFolder(t);
  const before = process.env["PTH_HOME"];
  process.env["PTH_HOME"] = join(folder, "home");
  t.teardown(() => {
    if (before === undefined) delete process.env["PTH_HOME"];
    else process.env["PTH_HOME"] = before;
  });
  const [a, b] = [join(folder, "a"), join(folder, "b")];
  for (const each of [a, b]) await mkdir(each);
  const release = await holdLocks([a, b, a], { force: false });
  const [session] = await listSessions();
  t.match(session, { alive: true, entries: [{ kind: "lock", name: a }, { kind: "lock", name: b }] });
  t.equal((await readLock(b))?.lock?.sessionId, session!.sessionId);
  await release();
  t.same([await listSessions(), await readLock(a), await readLock(b)], [[], undefined, undefined]);

  const other = await holdLocks([b], { force: false });
  await t.rejects(holdLocks([a, b], { force: false }), { code: "SESSION_LOCKED" });
  t.equal(await readLock(a), undefined, "the first is given back");
  t.ok(await readLock(b), "that of the other stays");
  t.equal((await listSessions()).length, 1);
  await other();
});
