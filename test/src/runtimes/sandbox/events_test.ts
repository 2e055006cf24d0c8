import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import type { EnvironmentHandle } from "../../../../machines/model/environment.ts";
import { redactLog } from "../../../../src/platform/log.ts";
import { beginLog, lastEvents, recordSandboxEvent } from "../../../../src/runtimes/sandbox/sandbox_state.ts";

const handleAt = (folder: string) => ({ state: { folder } }) as unknown as EnvironmentHandle;

t.test("a secret in a command is not in the box's log, also where it would be cut", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "pth-events-"));
  t.teardown(() => rm(folder, { recursive: true }));
  redactLog((text) => text.replaceAll("hunter2-hunter2", "[REDACTED]"));
  t.teardown(() => redactLog((text) => text));
  await beginLog(folder);
  await recordSandboxEvent(handleAt(folder), "exec exited with 0: curl\n-H hunter2-hunter2");
  await recordSandboxEvent(
    handleAt(folder),
    `exec exited with 0: ${"x".repeat(220)} hunter2-hunter2 ${"y".repeat(100)}`,
  );
  const text = await readFile(join(folder, "events.log"), "utf8");
  t.notMatch(text, "hunter2");
  const [first = "", second = ""] = text.split("\n");
  t.match(first, /exec exited with 0: curl -H \[REDACTED\]$/);
  t.ok(second.length < 300, "long lines are cut");
  t.match(await lastEvents(handleAt(folder), 1), /^\S+ exec exited with 0: xxx/);
});

t.test("a box that is gone has no log, and nothing fails for it", async (t) => {
  const removed = await mkdtemp(join(tmpdir(), "pth-events-"));
  t.teardown(() => rm(removed, { recursive: true }));
  await recordSandboxEvent(handleAt(removed), "ended with SIGKILL: sleep 1000");
  t.strictSame(await readdir(removed), [], "what is being removed stays empty");
  await t.resolves(recordSandboxEvent(handleAt("/nowhere/box"), "ended"));
  t.equal(await lastEvents(handleAt("/nowhere/box"), 10), "");
});
