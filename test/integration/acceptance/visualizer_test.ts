// test: timeout=240
/**
 * A person watches a session: its states light up, an actor tells what it knows, events are found; and later, in its
 * recording, goes back to the moment when a connection was lost and reads why.
 */
import { join } from "node:path";
import t, { type Test } from "tap";
import { writeTextFile } from "../../../src/platform/files.ts";
import { signalProcess } from "../../../src/platform/process.ts";
import { chromium } from "../../support/browser.ts";
import { breakingPlugin } from "../mcp/recovery_plugin.ts";
import { openSessionClient } from "../../support/session_client.ts";
import { makeRepository } from "../../src/session/helpers.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";
import { startViewer, viewersOf } from "../../support/viewers.ts";
import { openPage, type WatchedPage } from "./watched_page.ts";

t.setTimeout(230_000);
const browser = chromium();
const skip = browser === undefined && "no Chromium here: set PTH_CHROMIUM or install one";
if (skip) console.log(`# skipped: ${skip}`);

/** What there is to be seen lasts until it was seen: the setup waits for one file, a test for the other. */
const filesAwaiting = (seen: string) => ({
  ...breakingPlugin(),
  ".pth/tests/watched.yaml": `
- { name: greets, tool: hello, expect: { output_contains: hello } }
- { name: takes its time, tool: hello, timeout_seconds: 120, setup: [{ exec: "${until(seen)}" }] }
- { name: keeps the store, tool: exits, expect: { success: true } }
`,
});
const until = (file: string) => `until [ -e '${file}' ]; do sleep 0.1; done`;

let recording: string | undefined;

t.test("a live session is watched from the address that pth_start_session gives", { skip }, async (t) => {
  const { folder, succeed } = await openSessionClient(t);
  const pluginPath = join(folder, "plugin");
  const seen = { provisioning: join(folder, "seen-provisioning"), running: join(folder, "seen-running") };
  await makeRepository(pluginPath, filesAwaiting(seen.running));
  const started = await succeed(t, "pth_start_session", { pluginPath });
  const shown = await openPage(t, browser!, started.data.watch as string);
  const { reads, lights, clicks, picture } = shown;

  await reads(".badge", "live");
  const [, announcement] = /source=live-(\w+)/.exec(shown.page.url()) ?? [];
  t.teardown(async () => (await viewersOf(announcement!)).forEach((pid) => signalProcess(pid, "SIGTERM")));
  await lights("session.open.environment.absent");
  const provisioned = succeed(t, "pth_provision_environment", {
    runtime: "host",
    fixtures: { setupScripts: [until(seen.provisioning)] },
  });
  await lights("session.open.environment.provisioning");
  await writeTextFile(seen.provisioning, "");
  await provisioned;
  await lights("session.open.environment.ready");
  await succeed(t, "pth_load_plugin");
  await lights("session.open.plugin.ready");
  const tested = succeed(t, "pth_run_test_suite");
  await lights("session.open.suite.running");
  await picture("testing");
  await writeTextFile(seen.running, "");
  await tested;
  await lights("session.open.suite.idle");

  await clicks(".tree-row .name", "environment");
  await reads(".inspector h2", "environment");
  await lights("environment.ready");
  await shown.types("[placeholder='Search in context']", "sourcePath");
  t.match(await reads(".json-row", "sourcePath"), folder, "its context tells where the source lies");

  await clicks("[role=tab]", "Events");
  await shown.types("#type-filter", "connection.lost");
  await reads(".event-row .gist", "the store is corrupt");
  await shown.showsOnly(".event-row .type", "connection.lost");
  await picture("events");

  await clicks("[role=tab]", "Sequence");
  await reads(".seq-text", "connection.lost");
  t.match(await reads(".seq-head-name", "pool"), "pool");

  recording = await shown.recording();
  await succeed(t, "pth_end_session");
  await reads(".badge, .notice", /ended/);
  t.match(await reads(".seq-text", "connection.lost"), "connection.lost", "the past stays");
  t.ok(shown.requests.length > 10, "it asked its viewer");
  t.same(shown.complaints, [], "nothing went wrong, and nobody else was asked");
});

t.test("in the recording one goes back to the moment, and reads why", { skip }, async (t) => {
  if (recording === undefined) return t.fail("the session before left no recording");
  const home = await temporaryFolder(t);
  const file = join(home, "session.jsonl");
  await writeTextFile(file, recording);
  const shown = await openPage(t, browser!, (await startViewer(t, home, file)).address);
  await readWhy(t, shown);
  t.ok(shown.requests.length > 10, "it asked its viewer");
  t.same(shown.complaints, [], "nothing went wrong, and nobody else was asked");
});

async function readWhy(t: Test, { page, reads, lights, clicks, picture }: WatchedPage): Promise<void> {
  await reads(".badge", "recording");
  await reads(".time .bad", "error");

  // By hand: to the middle of all time, then to where it went wrong.
  const track = (await (await page.waitForSelector(".track"))!.boundingBox())!;
  await page.mouse.click(track.x + track.width / 2, track.y + track.height / 2);
  const before = await reads(".time .moment", /line [\d,]+ of/);
  await page.click("button[title^='To the start']");
  await page.click("button[title^='To the next error']");
  await reads(".time .bad", /connection\.lost.*exited with 7.*the store is corrupt/);
  t.not(await reads(".time .moment", /line/), before, "time has moved");

  await lights("connection.closing");
  // The state lights up before the way into it is drawn.
  for (const label of ["watch done", "always"]) await reads(".chart-frame text.taken", label);
  const taken = await page.$$eval(".chart-frame text.taken", (all) => all.map((one) => one.textContent));
  t.match(taken.join(), /watch done.*always/, "and how it came there: through lost");
  const said = await reads(".inspector", "the store is corrupt");
  t.match(said, /exited with 7/, "the inspector says why");
  await picture("connection-lost");

  await page.keyboard.press("ArrowLeft");
  await reads(".inspector", "xstate.done.actor.0.connection.open");
  await page.keyboard.press("ArrowLeft");
  await lights("connection.open.calling");
  await clicks("[role=tab]", "Sequence");
  await page.waitForSelector(".seq-row.current");
  await picture("sequence");
}
