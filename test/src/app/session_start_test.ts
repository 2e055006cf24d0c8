// test: own-process (the log is set up once in a process, and here it is set up otherwise)
/** The harness itself, with a real scratch session: no environment is made. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import t from "tap";
import { temporaryWorld, writeFiles } from "../session/helpers.ts";

t.test("the log and the recording tell no secret of a session, nor after its end", async (t) => {
  const { folder, home } = await temporaryWorld(t);
  const secret = "tulip-mania-1637";
  const logFile = join(folder, "../log");
  const recordFile = join(folder, "../record.jsonl");
  process.env.PTH_LOG_FILE = logFile;
  const { log } = await import("../../../src/platform/log.ts");
  const { createHarness } = await import("../../../src/app/create_harness.ts");
  await writeFiles(folder, { "server.mjs": "" });
  const harness = await createHarness({ recordFile });
  await harness.startSession({ target: folder, secrets: { KEY: secret }, args: [secret] });
  log.error("during", { text: `it is ${secret}` });
  await harness.endSession();
  log.error("after", { text: `it was ${secret}` });
  await harness.close();
  const text = await readFile(logFile, "utf8");
  t.match(text, "it is [REDACTED]");
  t.match(text, "it was [REDACTED]");
  t.notMatch(text + await readFile(recordFile, "utf8"), secret);
  t.same(await readdir(join(home, "sessions")), [], "no register is left");
});

t.test("who begins to watch a second session is told no secret of the first", async (t) => {
  const { folder } = await temporaryWorld(t);
  const { createHarness } = await import("../../../src/app/create_harness.ts");
  const { listAnnouncements } = await import("../../../src/visualizer/live/list_announcements.ts");
  const { watchSession } = await import("../../../src/visualizer/live/watch_session.ts");
  await writeFiles(folder, { "server.mjs": "" });
  const harness = await createHarness({ announce: { command: "test" } });
  await harness.startSession({
    target: folder,
    secrets: { KEY: "tulip-mania-1637" },
    args: ["tulip-mania-1637"],
  });
  await harness.endSession();
  await harness.startSession({
    target: folder,
    secrets: { KEY: "south-sea-1720" },
    args: ["south-sea-1720"],
  });
  await harness.announced;
  const [announcement] = await listAnnouncements();
  const watched = await watchSession(announcement!);
  const recording = await readFile(watched.file, "utf8");
  t.match(recording, '"args":["[REDACTED]"]', "what was said in both sessions is there");
  t.notMatch(recording, "tulip-mania");
  t.notMatch(recording, "south-sea");
  await watched.close();
  await harness.close();
});

t.test("a start that was given up before it began leaves nothing", async (t) => {
  const { folder, worktrees, home } = await temporaryWorld(t);
  const { createHarness } = await import("../../../src/app/create_harness.ts");
  await writeFiles(folder, { "server.mjs": "" });
  const harness = await createHarness();
  const started = harness.startSession({ target: folder }, { signal: AbortSignal.abort() });
  await t.rejects(started, { code: "INTERRUPTED" });
  t.equal(harness.state, "dormant");
  t.same(await readdir(worktrees).catch(() => []), []);
  t.same(await readdir(join(home, "sessions")), []);
  await t.resolves(harness.startSession({ target: folder }), "the next one starts");
  await harness.close();
});

t.test("an end that comes at any moment of a start leaves no register, and is answered", async (t) => {
  const { folder, worktrees, home } = await temporaryWorld(t);
  const { createHarness } = await import("../../../src/app/create_harness.ts");
  await writeFiles(folder, { "server.mjs": "" });
  for (const moment of [0, 0, 1, 2, 3, 5, 8, 13, 21, 34]) {
    const harness = await createHarness();
    const started = harness.startSession({ target: folder }).then(() => "started", ({ code }) => code);
    if (moment > 0) await new Promise((resolve) => setTimeout(resolve, moment));
    await harness.endSession();
    await harness.close();
    t.match(await started, /^(started|INTERRUPTED)$/, `after ${moment} ms`);
    t.same(await readdir(worktrees).catch(() => []), []);
    t.same(await readdir(join(home, "sessions")).catch(() => []), [], `after ${moment} ms`);
    await t.rejects(harness.startSession({ target: folder }), { code: "INTERRUPTED" });
  }
});
