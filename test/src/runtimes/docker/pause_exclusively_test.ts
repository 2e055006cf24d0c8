import t from "tap";
import { lockAgainstPause, pauseExclusively } from "../../../../src/runtimes/docker/pause_exclusively.ts";

/** A command of the engine's that says whether it has begun. */
const execThat = (begun: () => boolean) =>
  ({ inspect: () => Promise.resolve({ Running: begun(), Pid: begun() ? 7 : 0, ExitCode: null }) }) as never;
const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

t.test("a snapshot waits for a command that is just beginning, and not for one that runs", async (t) => {
  let begun = false;
  const command = await lockAgainstPause("a");
  command.exec = execThat(() => begun);
  let frozen = false;
  const snapshot = pauseExclusively("a", () => Promise.resolve(void (frozen = true)));
  await later(30);
  t.notOk(frozen);
  begun = true;
  await snapshot;
  t.ok(frozen);
  await pauseExclusively("a", () => Promise.resolve());
  command.ended();
});

t.test("a command waits while its container is frozen, in another it does not", async (t) => {
  const seen: string[] = [];
  const snapshot = pauseExclusively("b", async () => {
    await later(40);
    seen.push("thawed");
  });
  const other = lockAgainstPause("c").then((command) => command.ended());
  const command = lockAgainstPause("b").then((command) => {
    seen.push("begins");
    command.ended();
  });
  await Promise.all([other, snapshot, command]);
  t.same(seen, ["thawed", "begins"]);
});

t.test("snapshots of one container follow each other, also where one fails", async (t) => {
  const seen: string[] = [];
  const failing = pauseExclusively("d", async () => {
    await later(20);
    seen.push("first");
    throw new Error("no");
  });
  const second = pauseExclusively("d", () => Promise.resolve(void seen.push("second")));
  await t.rejects(failing, { message: "no" });
  await second;
  t.same(seen, ["first", "second"]);
});
