import { spawn } from "node:child_process";
import { chmod, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { dirname, join } from "node:path";
import process from "node:process";
import t from "tap";
import { log } from "../../../../src/platform/log.ts";
import { listAnnouncements } from "../../../../src/visualizer/live/list_announcements.ts";
import { watchSession } from "../../../../src/visualizer/live/watch_session.ts";
import { emptyFolder, scriptedSession, theOnly, until } from "./scripted_session.ts";
import { thisProcess } from "../../../../src/platform/proc.ts";

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

t.test("what is announced is found by whoever looks, and by this user alone", async (t) => {
  const folder = await emptyFolder(t);
  const { announcing } = scriptedSession(t, folder, { target: "my s3cret plugin" });
  const id = await announcing.id;
  const found = await theOnly(listAnnouncements(folder));
  t.match(found, { id, command: "run", target: "my [REDACTED] plugin", owner: { pid: process.pid } });
  t.equal(await modeOf(folder), "700");
  t.equal(await modeOf(join(folder, `${id}.json`)), "600");
  t.equal(await modeOf(found.socket), "600");
  announcing.session({ target: "other", sessionId: "1234" });
  await until(async () => (await listAnnouncements(folder))[0]?.sessionId === "1234");
  t.match(await theOnly(listAnnouncements(folder)), { id, target: "other" });
  await announcing.close();
  t.strictSame(await readdir(folder), [], "nothing is left");
});

t.test("of several, the longest-running is first", async (t) => {
  const folder = await emptyFolder(t);
  const first = await scriptedSession(t, folder).announcing.id;
  await new Promise((resolve) => setTimeout(resolve, 5));
  const second = await scriptedSession(t, folder).announcing.id;
  t.strictSame((await listAnnouncements(folder)).map(({ id }) => id), [first, second]);
});

t.test("a path that is too long for a socket is avoided", async (t) => {
  const folder = await emptyFolder(t, 120);
  const { announcing } = scriptedSession(t, folder);
  t.ok(await announcing.id);
  const found = await theOnly(listAnnouncements(folder));
  t.ok(new TextEncoder().encode(found.socket).length <= 100, found.socket);
  t.equal(await modeOf(dirname(found.socket)), "700");
  const watched = await watchSession(found, folder);
  await watched.close();
  await announcing.close();
  await t.rejects(stat(dirname(found.socket)), { code: "ENOENT" });
});

t.test("where nothing can be announced, that is logged and nothing else happens", async (t) => {
  const folder = await emptyFolder(t);
  // A file stands where the folder should be: that holds for root, too.
  await writeFile(dirname(folder) + "/file", "");
  const warned: string[] = [];
  t.intercept(log, "warn", { value: (message: string) => warned.push(message) });
  const { announcing } = scriptedSession(t, join(dirname(folder), "file", "live"));
  announcing.session({ target: "x", sessionId: "1" });
  t.equal(await announcing.id, undefined);
  await announcing.close();
  t.equal(warned.length, 1);
  t.match(warned[0], /^pth viz cannot watch this session: /);
  t.strictSame(await listAnnouncements(join(dirname(folder), "nowhere")), [], "no folder, nothing announced");
});

t.test("a session whose socket cannot be made is not announced: nobody would be answered", async (t) => {
  const folder = await emptyFolder(t, 120);
  const { TMPDIR } = process.env;
  t.teardown(() => TMPDIR === undefined ? delete process.env.TMPDIR : process.env.TMPDIR = TMPDIR);
  process.env.TMPDIR = join(folder, "nowhere");
  t.intercept(log, "warn", { value: () => {} });
  const { announcing } = scriptedSession(t, folder);
  t.equal(await announcing.id, undefined);
  t.strictSame(await readdir(folder), []);
});

t.test("what a killed process announced is removed, with its socket and its recording", async (t) => {
  const folder = await emptyFolder(t);
  const living = scriptedSession(t, folder);
  await living.announcing.id;
  const own = join(dirname(folder), "pth-live-deaddead");
  await mkdir(own);
  await writeFile(join(own, "sock"), "");
  const dead = { id: "deaddead", owner: { pid: 4194305, startTime: "1" }, startedAt: "2026", command: "run" };
  await writeFile(join(folder, "deaddead.json"), JSON.stringify({ ...dead, socket: join(own, "sock") }));
  await writeFile(join(folder, "deaddead.jsonl"), "{}");
  await writeFile(join(folder, "05050505.json"), "{");
  const found = await theOnly(listAnnouncements(folder));
  t.equal(found.id, await living.announcing.id);
  t.strictSame((await readdir(folder)).sort(), [`${found.id}.json`, `${found.id}.sock`]);
  await t.rejects(stat(own), { code: "ENOENT" });
});

t.test("what a kill left half written goes at once, what a living process is writing stays", async (t) => {
  const folder = await emptyFolder(t);
  await mkdir(folder);
  const { pid, startTime } = await thisProcess();
  const being = `.${pid}.${startTime}.${crypto.randomUUID()}.tmp`;
  for (const name of [being, `.4194305.1.${crypto.randomUUID()}.tmp`]) {
    await writeFile(join(folder, name), "{");
  }
  t.strictSame(await listAnnouncements(folder), []);
  t.strictSame(await readdir(folder), [being]);
});

t.test("files that are not PTH's stay where they are", async (t) => {
  const folder = await emptyFolder(t);
  const precious = join(dirname(folder), "pth-live-precious");
  await mkdir(join(folder, "0a0a0a0a.json"), { recursive: true });
  await mkdir(precious);
  await writeFile(join(folder, "notes.json"), "{}");
  await writeFile(join(folder, ".hidden"), "");
  await utimes(join(folder, ".hidden"), 0, 0);
  const lie = { owner: { pid: 4194305, startTime: "1" }, startedAt: "2026", command: "run" };
  const socket = join(precious, "sock");
  await writeFile(join(folder, "0b0b0b0b.json"), JSON.stringify({ ...lie, id: "0b0b0b0b", socket }));
  await symlink(precious, join(folder, "0c0c0c0c.sock"));
  // One that says it is another would have files written elsewhere.
  const astray = { ...lie, owner: { pid: process.pid }, id: "../0d0d0d0d", socket };
  await writeFile(join(folder, "0d0d0d0d.json"), JSON.stringify(astray));
  t.strictSame(await listAnnouncements(folder), []);
  t.strictSame((await readdir(folder)).sort(), [".hidden", "0a0a0a0a.json", "notes.json"]);
  t.ok((await stat(precious)).isDirectory(), "nor does what a link leads to go");
});

t.test("the recording of a killed process stays as long as someone reads it", async (t) => {
  const folder = await emptyFolder(t);
  await mkdir(folder);
  const reader = spawn("sleep", ["60"]);
  t.teardown(() => reader.kill());
  await once(reader, "spawn");
  await writeFile(join(folder, "deaddead.jsonl"), "{}");
  await writeFile(join(folder, "deaddead.viewer-1"), JSON.stringify({ pid: reader.pid }));
  await writeFile(join(folder, "deaddead.viewer-2"), JSON.stringify({ pid: 4194305, startTime: "1" }));
  // Known by its start time, as PTH itself would write it.
  const startTime = (await readFile(`/proc/${reader.pid}/stat`, "utf8")).split(" ")[21];
  await writeFile(join(folder, "deaddead.viewer-1"), JSON.stringify({ pid: reader.pid, startTime }));
  await listAnnouncements(folder);
  t.strictSame((await readdir(folder)).sort(), ["deaddead.jsonl", "deaddead.viewer-1"]);
  reader.kill();
  await once(reader, "exit");
  await listAnnouncements(folder);
  t.strictSame(await readdir(folder), []);
});

t.test("a session that ends takes the notes of killed viewers along", async (t) => {
  const folder = await emptyFolder(t);
  const { announcing } = scriptedSession(t, folder);
  const id = await announcing.id;
  await writeFile(join(folder, `${id}.viewer-1`), JSON.stringify({ pid: 4194305, startTime: "1" }));
  await announcing.close();
  t.strictSame(await readdir(folder), []);
});

t.test("a folder that others could look into is closed to them", async (t) => {
  const folder = await emptyFolder(t);
  await mkdir(folder);
  await chmod(folder, 0o755);
  await scriptedSession(t, folder).announcing.id;
  t.equal(await modeOf(folder), "700");
});
