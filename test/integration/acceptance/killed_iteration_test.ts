// test: timeout=550
/**
 * `kill -9` of `pth iterate` at some moments of its life, each followed by a resume: the session goes on, and its fixes are
 * those of a run that nobody disturbed. `PTH_TEST_SEED` repeats the moments, `PTH_TEST_MOMENTS` says how many there are.
 */
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import t, { type Test } from "tap";
import { collect, signalProcess } from "../../../src/platform/process.ts";
import { vendorModules } from "../../support/vendored_packages.ts";
import { fixer, iteratePlace, type Place } from "../../support/iterate_place.ts";

t.setTimeout(550_000);
const moments = Number(process.env.PTH_TEST_MOMENTS ?? 4);
/** So many at once: most of the time each waits for a server that does not answer. */
const together = 5;
const seed = Number(process.env.PTH_TEST_SEED ?? Date.now() % 1_000_000);
t.comment(`PTH_TEST_SEED=${seed}`);

const repair = fixer("repair_broken_plugin.mjs");
/** On one server, and without the checks of the server as a whole, each of which starts it anew in each of the suites. */
const options = ["--env", "host", "--timeout", "1", "--workers", "1", "--grep", "^(?!server - )"];

/** Title, iteration and change of each fix, the oldest first. */
async function fixesOf(place: Place, branch: string): Promise<string[]> {
  const commits = await place.git(
    "log",
    "--reverse",
    "--format=%H",
    "--grep=^PTH-Type: fix",
    `main..${branch}`,
  );
  const format =
    "--format=%s (iteration %(trailers:key=PTH-Iteration,valueonly,separator=)) %(trailers:key=PTH-Test)";
  return await Promise.all(
    commits.split("\n").filter(Boolean).map((commit) => place.git("show", format, commit)),
  );
}

/** Line by line, so that the moments lie where something happens, also on a slow machine. */
async function killedAfter(place: Place, lines: number, delayMs: number): Promise<string> {
  const child = await place.start(repair, ...options);
  const said = collect(child.stdout);
  collect(child.stderr);
  const enough = new Promise<void>((resolve) => {
    child.stdout.on("data", () => {
      if (said.text().split("\n").length > lines) resolve();
    });
  });
  await Promise.race([enough, child.ended]);
  await Promise.race([wait(delayMs), child.ended]);
  signalProcess(child.pid, "SIGKILL");
  await child.ended;
  return said.text();
}

t.test("a killed loop is resumed, and comes to the same fixes", async (t) => {
  const undisturbed = await iteratePlace(t, "broken_plugin", vendorModules);
  const whole = await undisturbed.iterate(repair, ...options);
  t.equal(whole.code, 0, whole.stdout + whole.stderr);
  t.comment(whole.stdout);
  const wanted = await fixesOf(undisturbed, await undisturbed.branch());
  t.equal(wanted.length, 4);
  const lines = whole.stdout.split("\n").length;

  let resumed = 0;
  for (let moment = 0; moment < moments; moment += together) {
    const batch = Array.from({ length: Math.min(together, moments - moment) }, (_, index) => moment + index);
    await Promise.all(batch.map(async (moment) => {
      const after = Math.floor((lines - 1) * moment / moments);
      const wasResumed = await killAndResume(t, after, (seed + 61 * moment) % 150, wanted);
      if (wasResumed) resumed++;
    }));
  }
  t.ok(resumed >= moments / 2, `${resumed} of ${moments} were resumed`);
});

/** Whether there was something to resume: killed before there is a branch, a session begins anew. */
async function killAndResume(t: Test, after: number, delayMs: number, wanted: string[]): Promise<boolean> {
  const place = await iteratePlace(t, "broken_plugin", vendorModules);
  const said = await killedAfter(place, after, delayMs);
  const branch = await place.branch();
  const again = await place.iterate(repair, ...options, ...branch === "" ? [] : ["--resume", branch]);
  const where = `killed ${delayMs} ms after line ${after}: ${said.trim().split("\n").at(-1)}`;
  t.equal(again.code, 0, where, { said: again.stdout + again.stderr });
  t.same(await fixesOf(place, await place.branch()), wanted, where);
  const worktrees = await place.git("worktree", "list", "--porcelain");
  t.equal(worktrees.match(/^worktree /gm)?.length, 1, "no worktree is left");
  t.equal(await place.git("status", "--porcelain"), "", "the checkout is as it was");
  return branch !== "";
}
