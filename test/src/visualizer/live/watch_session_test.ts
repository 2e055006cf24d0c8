import { connect as connectSocket, type Socket } from "node:net";
import { once } from "node:events";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { PthError } from "../../../../src/core/errors.ts";
import type { Announcement } from "../../../../src/registry/announcement.ts";
import { listAnnouncements } from "../../../../src/visualizer/live/list_announcements.ts";
import { watchSession } from "../../../../src/visualizer/live/watch_session.ts";
import { emptyFolder, scriptedSession, theOnly, until } from "./scripted_session.ts";

/** A viewer by hand: lines out, answers in. */
async function byHand(socketPath: string) {
  const socket: Socket = connectSocket(socketPath);
  await once(socket, "connect");
  let text = "";
  socket.on("data", (chunk) => text += chunk);
  socket.on("error", () => socket.destroy());
  return {
    socket,
    lines: () => text.split("\n").filter(Boolean).map((line) => JSON.parse(line)),
  };
}

const setUp = async (t: Parameters<typeof emptyFolder>[0], options = {}) => {
  const session = scriptedSession(t, await emptyFolder(t), options);
  await session.announcing.id;
  return { ...session, announcement: await theOnly(listAnnouncements(session.folder)) };
};

t.test("nothing is recorded until someone watches, and nothing after the last has gone", async (t) => {
  const { folder, writings, announcement, happen } = await setUp(t);
  await happen("before anyone looked");
  t.equal(writings.size, 0);
  const one = await watchSession(announcement, folder);
  await happen("to one");
  const two = await watchSession(announcement, folder);
  t.equal(two.file, one.file, "both read the same");
  t.equal(await readFile(one.file, "utf8"), "header\nto one\n");
  await one.close();
  t.match(await one.ended, { reason: "It is no longer watched" });
  await happen("to two");
  t.match(await readFile(two.file, "utf8"), /to two/);
  await two.close();
  await until(async () => (await readdir(folder)).length === 2);
  t.equal(writings.size, 0);
  const again = await watchSession(announcement, folder);
  t.equal(await readFile(again.file, "utf8"), "header\n", "who comes back gets a new one");
  await again.close();
});

t.test("what is recorded anyhow serves the viewers, and stays", async (t) => {
  const recordFile = join(await emptyFolder(t), "..", "mine.jsonl");
  await writeFile(recordFile, "mine\n");
  let fail: (how: { error: PthError }) => void = () => {};
  const ended = new Promise<{ error: PthError }>((resolve) => fail = resolve);
  const recording = { path: recordFile, ended, close: () => Promise.resolve() };
  const { folder, writings, announcement, announcing } = await setUp(t, { recording });
  const watched = await watchSession(announcement, folder);
  t.equal(watched.file, recordFile);
  t.equal(writings.size, 0);
  fail({ error: new PthError("DISK_FULL", "Cannot write mine.jsonl: the disk is full") });
  t.match(await watched.ended, { reason: "Cannot write mine.jsonl: the disk is full" });
  await watched.close();
  const again = await watchSession(announcement, folder);
  t.not(again.file, recordFile, "what cannot be written any more serves nobody");
  await again.close();
  await announcing.close();
  t.equal(await readFile(recordFile, "utf8"), "mine\n");
});

t.test("a session that ends says so, and its past stays until its last viewer goes", async (t) => {
  const { folder, announcement, announcing, happen } = await setUp(t);
  const one = await watchSession(announcement, folder);
  const two = await watchSession(announcement, folder);
  await happen("last words");
  await announcing.close();
  t.match(await one.ended, { reason: /^pth run \(process \d+\) has ended$/ });
  t.strictSame(await listAnnouncements(folder), []);
  await one.close();
  t.match(await readFile(two.file, "utf8"), /last words/);
  await t.rejects(two.send("x:1", { type: "a" }), { code: "NOT_NOW", message: /it has ended/ });
  await two.close();
  t.strictSame(await readdir(folder), []);
  await t.rejects(watchSession(announcement, folder), { code: "NOT_NOW" });
  t.strictSame(await readdir(folder), [], "a viewer that came too late leaves nothing");
});

t.test("a session that is gone without a word is told from one that ended", async (t) => {
  const folder = await emptyFolder(t);
  const dead: Announcement = {
    id: "dead",
    owner: { pid: 4194305, startTime: "1" },
    startedAt: "2026",
    command: "mcp",
    socket: join(folder, "dead.sock"),
  };
  await t.rejects(watchSession(dead, folder), {
    code: "NOT_NOW",
    message: "Cannot watch pth mcp (process 4194305): it has just ended",
  });
});

t.test("a disk that fills up ends the watching, with its reason", async (t) => {
  const { folder, announcement, fillDisk } = await setUp(t);
  const watched = await watchSession(announcement, folder);
  fillDisk();
  t.match(await watched.ended, { reason: /\.jsonl: the disk is full$/ });
  await watched.close();
});

t.test("what cannot be recorded is the viewer's error", async (t) => {
  const { folder, announcement } = await setUp(t);
  await rm(folder, { recursive: true });
  const viewer = await byHand(announcement.socket).catch((error) => error);
  t.match(viewer, { code: "ENOENT" }, "the socket went with its folder");
  await t.rejects(watchSession(announcement, folder), { code: "NOT_NOW", message: /^Cannot watch pth run/ });
});

t.test("questions that cannot be read are answered, and the rest still works", async (t) => {
  const { announcement, writings } = await setUp(t);
  const { socket, lines } = await byHand(announcement.socket);
  socket.write(
    'no json\n[]\n{"ask":"dance"}\n{"ask":"send"}\n{"ask":"send","actor":"x:9","event":{"type":"a"}}\n',
  );
  socket.write('{"ask":"watch"}\n{"ask":"watch"}\n');
  await until(() => lines().length === 7);
  const messages = lines().map(({ error }) => error?.message).sort();
  t.match(messages.filter(Boolean), [
    "Cannot answer question: this version of PTH knows only watch and send",
    "Cannot read question: expected a JSON object",
    "Cannot read question: expected a JSON object",
    "Cannot send event: no actor is named",
    "Cannot send to x:9: there is no such actor, or it has ended",
    "Cannot watch: this connection watches already",
  ]);
  t.equal(writings.size, 1);
  socket.destroy();
  await until(() => writings.size === 0);
});

t.test("a line without an end closes its connection, not the session", async (t) => {
  const { folder, announcement } = await setUp(t);
  const { socket, lines } = await byHand(announcement.socket);
  const closed = once(socket, "close");
  socket.write("x".repeat(1024 * 1024 + 1));
  await closed;
  t.match(lines(), [{ ask: "?", error: { message: "Cannot read question: longer than 1 MiB" } }]);
  await (await watchSession(announcement, folder)).close();
});

t.test("a viewer that asks and never reads is dropped", async (t) => {
  const { announcement } = await setUp(t);
  const { socket } = await byHand(announcement.socket);
  socket.pause();
  // Not `once`: that it cannot write any more is an error, too.
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const question = `${JSON.stringify({ ask: "send", actor: "y".repeat(5000), event: {} })}\n`;
  for (let sent = 0; sent < 2000 && !socket.destroyed; sent++) {
    if (!socket.write(question)) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  socket.resume();
  await closed;
  t.pass("the session closed it");
});
