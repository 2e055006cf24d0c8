/** Recordings written for a test, line by line. */
import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";

export const header = { format: "pth-recording/2", startedAt: "2026-01-15T10:30:00.000Z", pth: "0.1.0" };

let folder: string | undefined;
let files = 0;

/** A path that nothing has yet; what is there goes when the test file ends. */
export async function newPath(): Promise<string> {
  if (folder === undefined) {
    const made = await mkdtemp(join(tmpdir(), "pth-timeline-"));
    t.teardown(async () => {
      folder = undefined;
      await rm(made, { recursive: true });
    });
    folder = made;
  }
  return join(folder, `${files++}.jsonl`);
}

export const text = (lines: readonly unknown[]): string =>
  lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");

/** Writes lines as they are where they are texts, else as JSON; a header comes first. */
export async function written(lines: readonly unknown[], first: unknown = header): Promise<string> {
  const path = await newPath();
  await writeFile(path, text([first, ...lines]));
  return path;
}

export const append = (path: string, lines: readonly unknown[]): Promise<void> =>
  appendFile(path, text(lines));

export const actor = (at: number, actor: string, id: string, more: object = {}) => ({
  at,
  type: "actor",
  actor,
  id,
  ...more,
});

export const event = (at: number, actor: string, type: string, facts: object = {}, source?: string) => ({
  at,
  type: "event",
  actor,
  ...(source === undefined ? {} : { source }),
  event: { type, ...facts },
});

export const snapshot = (at: number, actor: string, value: unknown, more: object = {}) => ({
  at,
  type: "snapshot",
  actor,
  value,
  status: "active",
  ...more,
});

/** A plugin and its pool: who there is, what they hear, where they are. */
export const story: readonly unknown[] = [
  actor(0, "x:0", "x:0", { machine: "harness" }),
  event(1, "x:0", "xstate.init"),
  snapshot(2, "x:0", "dormant", { context: {} }),
  actor(3, "x:1", "plugin", { parent: "x:0", machine: "plugin" }),
  actor(3.5, "x:2", "pool", { parent: "x:1", machine: "pool" }),
  event(4, "x:1", "plugin.reload", { requestId: "r1" }),
  event(5, "x:2", "pool.resize", { size: 3 }, "x:1"),
  snapshot(6, "x:2", "serving", { taken: ["pool.serving|pool.resize|0"], context: { size: 3 } }),
  snapshot(7, "x:1", { ready: "swapping" }, { taken: ["plugin.ready|plugin.reload|0"] }),
  event(8, "x:1", "xstate.done.actor.0.plugin.planning", { output: { name: "Örebro" } }, "x:2"),
  event(1000, "x:0", "harness.note", { says: 'a "quoted" word' }, "x:1"),
];
