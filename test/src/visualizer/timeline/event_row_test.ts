import t from "tap";
import { openTimeline } from "../../../../src/visualizer/timeline/open_timeline.ts";
import { actor, event, snapshot, written } from "./written_recording.ts";

t.test("an event leads to a position at which its receiver and its sender have done their step", async (t) => {
  const timeline = await openTimeline(
    await written([
      actor(0, "x:0", "x:0", { machine: "pool" }),
      actor(0, "x:1", "connection-1", { parent: "x:0", machine: "connection" }),
      event(1, "x:1", "connection.call"), // position 3
      event(1, "x:0", "connection.lost", {}, "x:1"), // position 4, sent in the step of x:1
      snapshot(1, "x:0", "serving", { taken: ["pool.serving|connection.lost|0"] }), // 5
      snapshot(1, "x:1", "closing", { taken: ["connection.open|connection.call|0"] }), // 6
      event(2, "x:1", "connection.close", {}, "x:0"), // 7, not answered when the recording ends
    ]),
  );
  t.teardown(() => timeline.close());
  const rows = await timeline.rows({}, 0, 9);
  t.same(rows.map(({ type, position, settled }) => [type, position, settled]), [
    ["connection.call", 3, 6],
    ["connection.lost", 4, 6],
    ["connection.close", 7, 7],
  ]);
});
