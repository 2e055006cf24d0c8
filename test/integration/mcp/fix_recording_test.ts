// test: timeout=240
/** A recording shows each step of a fix, and of its revert, as a state of the machine that works on it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import type { FixRecord } from "../../../machines/model/fix.ts";
import { pthCommandLine } from "../../support/bundled_pth.ts";
import { openSessionClient } from "../../support/session_client.ts";
import { adderServer } from "../../support/small_server.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

t.setTimeout(220_000);

interface Line {
  type: string;
  actor: string;
  id?: string;
  machine?: string;
  parent?: string;
  source?: string;
  event?: { type: string; kind?: string };
  value?: unknown;
}

const plugin = {
  "package.json": '{"name":"adder","version":"1.0.0","type":"module"}\n',
  ".mcp.json": '{"mcpServers":{"adder":{"command":"node","args":["server.mjs"]}}}\n',
  "server.mjs": adderServer,
  "add.mjs": "export const add = ({ a, b }) => a - b;\n",
};

t.test("a fix with snapshot and reload is one request, whose steps are states in its recording", async (t) => {
  const recording = join(await temporaryFolder(t), "record.jsonl");
  const server = pthCommandLine("main", "--structured", "--record", recording);
  const client = await openSessionClient(t, {}, undefined, server);
  if (!await client.begin(t, plugin, "sandbox")) return;
  const applied = await client.succeed(t, "pth_apply_fix", {
    title: "add instead of subtracting",
    edits: [{ path: "add.mjs", find: "a - b", replace: "a + b" }],
    snapshot: true,
    reload: true,
  });
  const { commit } = applied.data["fix"] as FixRecord;
  await client.succeed(t, "pth_revert_fix", { commit });
  await client.succeed(t, "pth_end_session");

  const lines: Line[] = (await readFile(recording, "utf8")).trimEnd().split("\n").map((line) =>
    JSON.parse(line)
  );
  const ofMachine = (machine: string) =>
    lines.filter((line) => line.type === "actor" && line.machine === machine).map(({ actor }) => actor);
  /** States in the order in which the actor entered them; those that are left at once are in none. */
  const statesOf = (actor: string) => {
    const values = lines.filter((line) => line.actor === actor && line.type === "snapshot")
      .map(({ value }) => value);
    return values.filter((value, at) => value !== values[at - 1]);
  };
  const [session] = ofMachine("session");
  const fromOutside = (type: string) =>
    lines.filter((line) => line.event?.type === type && line.actor === session && line.source === undefined);

  t.equal(fromOutside("session.apply_fix").length, 1, "one event goes down");
  t.equal(fromOutside("session.revert_fix").length, 1);
  t.equal(fromOutside("session.work").length, 0, "all work on the branch is a step");
  t.equal(fromOutside("session.close").length, 1, "at the end alone");
  t.strictSame(ofMachine("close").map(statesOf), [[
    "stopping",
    "gathering",
    { exporting: "working" },
    "completed",
  ]]);
  for (const step of ["session.snapshot", "session.rollback", "session.reload"]) {
    t.equal(fromOutside(step).length, 0, `${step} is asked by the machine`);
  }
  t.strictSame(ofMachine("fix").map(statesOf), [[
    "checking",
    "snapshotting",
    "committing",
    "reloading",
    "summarizing",
    "checkpointing",
    "completed",
  ]]);
  t.strictSame(ofMachine("revert").map(statesOf), [[
    "checking",
    "rollingBack",
    "reverting",
    "droppingSnapshots",
    "reloading",
    "completed",
  ]]);
  const loads = ofMachine("load").map(statesOf);
  t.strictSame(loads[0], [
    "observing",
    "preparing",
    "loading",
    "settling",
    "completed",
  ]);
  const reload = ["observing", "reloading", "settling", "completed"];
  t.strictSame(loads.slice(1), [reload, reload]);
  const answers = lines.filter((line) => line.event?.type === "task.completed" && line.actor === session);
  t.equal(
    answers.length,
    6,
    "each task answers once: a load, a fix and a revert, with a reload each, and the end",
  );
});
