/** Who can watch a harness: with a real scratch session, no environment is made. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import process from "node:process";
import t from "tap";
import { createHarness } from "../../../src/app/create_harness.ts";
import { log } from "../../../src/platform/log.ts";
import { listAnnouncements } from "../../../src/visualizer/live/list_announcements.ts";
import { watchSession } from "../../../src/visualizer/live/watch_session.ts";
import { temporaryWorld, writeFiles } from "../session/helpers.ts";
import { theOnly, until } from "../visualizer/live/scripted_session.ts";

const announce = { command: "mcp" };

interface Line {
  type?: string;
  id?: string;
  actor?: string;
}

const linesOf = async (path: string): Promise<Line[]> =>
  (await readFile(path, "utf8")).trimEnd().split("\n").map((line) => JSON.parse(line));

t.test("who begins to watch in the middle sees what was before, and what comes", async (t) => {
  const { folder, home } = await temporaryWorld(t);
  const secret = "tulip-mania-1637";
  await writeFiles(folder, { "server.mjs": "" });
  const harness = await createHarness({ announce: { ...announce, target: "." } });
  t.teardown(() => harness.close());
  const id = await harness.announced;
  t.match(await theOnly(listAnnouncements()), { id, target: "." });
  const { sessionId } = await harness.startSession({
    target: relative(process.cwd(), folder),
    secrets: { KEY: secret },
    args: [secret],
  });
  await until(async () => (await listAnnouncements())[0]?.sessionId === sessionId);
  const announcement = await theOnly(listAnnouncements());
  t.match(announcement, { command: "mcp", target: folder, sessionId }, "a folder by its whole path");
  const watched = await watchSession(announcement);
  t.equal((await stat(watched.file)).mode & 0o077, 0, "for this user alone");
  let session: Line | undefined;
  await until(async () =>
    (session = (await linesOf(watched.file)).find(({ id }) => id === "session")) !== undefined
  );
  await t.rejects(watched.send(session!.actor!, { type: "session.cancel_suit" }), {
    code: "INVALID_INPUT",
    context: { next: [/^Events that it accepts: session\.cancel_suite, /] },
  });
  await watched.send(session!.actor!, { type: "session.cancel_suite" });
  await until(async () => (await readFile(watched.file, "utf8")).includes('"session.cancel_suite"'));
  await harness.close();
  t.match(await watched.ended, { reason: /^pth mcp .* has ended$/ });
  const text = await readFile(watched.file, "utf8");
  t.match(text, '"session.end"', "all of it, to the end");
  t.notMatch(text, secret);
  await watched.close();
  t.strictSame(await readdir(join(home, "live")), []);
});

t.test("a session with --record is watched in that file", async (t) => {
  const { folder } = await temporaryWorld(t);
  const recordFile = join(folder, "..", "record.jsonl");
  const harness = await createHarness({ announce, recordFile });
  t.teardown(() => harness.close());
  await harness.announced;
  const watched = await watchSession(await theOnly(listAnnouncements()));
  t.equal(watched.file, recordFile);
  await harness.close();
  await watched.close();
  t.match((await linesOf(recordFile))[0], { command: "mcp" });
});

t.test("PTH_VIZ=0 keeps viewers out, and what announces nothing makes nothing", async (t) => {
  const { home } = await temporaryWorld(t);
  process.env.PTH_VIZ = "0";
  t.teardown(() => delete process.env.PTH_VIZ);
  for (const options of [{ announce }, {}]) {
    const harness = await createHarness(options);
    t.equal(await harness.announced, undefined);
    await harness.close();
  }
  await t.rejects(stat(join(home, "live")), { code: "ENOENT" });
});

t.test("a home that cannot be written keeps no session from starting", async (t) => {
  const { folder } = await temporaryWorld(t);
  const home = process.env.PTH_HOME!;
  // A file in the folder's place: that holds for root, too.
  await writeFiles(home, { "live": "" });
  await writeFiles(folder, { "server.mjs": "" });
  const harness = await createHarness({ announce });
  t.equal(await harness.announced, undefined);
  await harness.startSession({ target: folder });
  await harness.close();
});

t.test("an inspector elsewhere than on this machine is refused", async (t) => {
  await temporaryWorld(t);
  for (
    const [address, why] of [
      ["ws://stately.example:8080", /stately\.example is not this host$/],
      ["http://localhost:8080", /not a ws:\/\/ address$/],
      ["localhost", /not a ws:\/\/ address$/],
    ] as const
  ) await t.rejects(createHarness({ stately: address }), { code: "INVALID_INPUT", message: why });
});

t.test("a wrong inspector costs no recording of another time", async (t) => {
  const { folder } = await temporaryWorld(t);
  const recordFile = join(folder, "record.jsonl");
  await writeFiles(folder, { "record.jsonl": "precious" });
  await t.rejects(createHarness({ recordFile, stately: "localhost" }), { code: "INVALID_INPUT" });
  t.equal(await readFile(recordFile, "utf8"), "precious");
});

t.test("an inspector that is not there is told once, and the session is as without", async (t) => {
  const { folder } = await temporaryWorld(t);
  await writeFiles(folder, { "server.mjs": "" });
  const told: string[] = [];
  t.intercept(log, "error", { value: (message: string) => told.push(message) });
  process.env.PTH_STATELY_INSPECTOR = "ws://127.0.0.1:1";
  t.teardown(() => delete process.env.PTH_STATELY_INSPECTOR);
  const harness = await createHarness();
  await harness.startSession({ target: folder });
  await until(() => told.length > 0);
  await harness.endSession();
  await harness.close();
  t.match(told, [/^Stately's inspector at ws:\/\/127\.0\.0\.1:1\/ receives no more events: .*ECONNREFUSED/]);
  t.equal(told.length, 1);
});
