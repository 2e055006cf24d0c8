/** Folders for integration tests. */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";

/** An empty folder, removed when the test has ended. */
export async function temporaryFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pth test-"));
  await chmod(folder, 0o755);
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
