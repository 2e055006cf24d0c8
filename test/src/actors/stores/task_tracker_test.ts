import t from "tap";
import { TaskTracker } from "../../../../src/actors/stores/task_tracker.ts";

t.test("work that does not end is not waited for without end", async (t) => {
  const tasks = new TaskTracker();
  let end = () => {};
  tasks.track(new Promise<void>((resolve) => end = resolve));
  const alive = setTimeout(() => {}, 5000);
  t.equal(await tasks.settled(20), false);
  end();
  t.equal(await tasks.settled(), true);
  clearTimeout(alive);
});
