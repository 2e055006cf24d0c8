import t from "tap";
import { explainFailure } from "../../../src/actors/explain_failure.ts";
import { PthError } from "../../../src/core/errors.ts";
import { giveEnvironment, liveSession } from "./live.ts";
import { nextStepsFor } from "../../../src/core/next_step.ts";

const explained = async (live: Parameters<typeof explainFailure>[0], error: unknown): Promise<PthError> =>
  await explainFailure(live, error) as PthError;

t.test("what the tables do not name passes through", async (t) => {
  const { live } = liveSession();
  const error = new PthError("INVALID_INPUT", "Cannot x: y");
  t.equal(await explainFailure(live, error), error);
  const foreign = new Error("x");
  t.equal(await explainFailure(live, foreign), foreign);
});

t.test("a full disk is known by the system's code, by its words and in any output, with the code that it hides", async (t) => {
  const { live } = liveSession();
  const failures = [
    Object.assign(new Error("write"), { code: "ENOSPC" }),
    new PthError("BUILD_FAILED", "Cannot build", {
      output: "cp: error writing 'x': No space left on device",
    }),
    new PthError("GIT_FAILED", "Cannot run git add: Disk quota exceeded"),
  ];
  for (const failure of failures) {
    const error = await explained(live, failure);
    t.equal(error.code, "DISK_FULL");
    t.ok(Array.isArray(error.context.disk), "the host's disks are told");
    t.ok(error.context.artefacts !== undefined);
  }
  t.match(await explained(live, failures[1]), { context: { failed: "BUILD_FAILED" } });
});

t.test("the limit of file watchers is no full disk, though its code is the same word", async (t) => {
  const { live } = liveSession();
  const output = "Error: ENOSPC: System limit for number of file watchers reached";
  t.equal((await explained(live, new PthError("EXEC_FAILED", "x", { output }))).code, "EXEC_FAILED");
});

t.test("a lost environment is told with its last known resources and the snapshot to go back to", async (t) => {
  const { live } = liveSession();
  live.environment.count = 2;
  live.snapshots.taken.set("old", { tag: "old", takenAt: "1", environment: 1 });
  live.snapshots.taken.set("new", { tag: "new", takenAt: "2", environment: 2 });
  const error = await explained(live, new PthError("ENVIRONMENT_LOST", "Cannot use environment: gone"));
  t.match(error.context, {
    resourcesBefore: "not looked at yet",
    snapshots: ["old, taken 1, of an environment that is gone", "new, taken 2"],
    next: [
      { mcp: /pth_rollback_environment\(\{ snapshot: "new" \}\)/ },
      { mcp: /pth_reprovision_environment/ },
    ],
  });
  t.equal(await explainFailure(live, error), error, "facts are added once");
});

t.test("what cannot be found out is said in its place", async (t) => {
  const { live } = liveSession();
  giveEnvironment(live, {
    abilities: { isolated: true } as never,
    exec: () => Promise.reject(new PthError("ENVIRONMENT_LOST", "Cannot use environment: gone")),
  });
  const error = await explained(live, new PthError("NETWORK_UNAVAILABLE", "Cannot install plugin"));
  t.equal(error.context.connectivity, "cannot be found out: Cannot use environment: gone");
});

t.test("ways out of the table come after those of the failure, and hold no tool calls on the terminal", async (t) => {
  const { live } = liveSession();
  const { context } = await explained(live, new PthError("WORKTREE_FAILED", "x", { next: ["First this"] }));
  const told = nextStepsFor("terminal", context.next);
  t.equal(told[0], "First this");
  t.ok(told.length > 1);
  t.same(told.filter((step) => step.includes("pth_")), []);
});
