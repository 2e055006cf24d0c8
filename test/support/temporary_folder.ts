/** Folders for integration tests. */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Test } from "tap";

/** What PTH left to a process of its own may go at the same moment: then it is tried again. */
export async function removeWhenLeft(folder: string): Promise<void> {
  for (let left = 50;; left--) {
    try {
      return await rm(folder, { recursive: true, force: true });
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** An empty folder, removed when the test has ended. */
export async function temporaryFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pth test-"));
  await chmod(folder, 0o755);
  t.teardown(() => removeWhenLeft(folder));
  return folder;
}

/** The folder for temporary files while the test runs: what it leaves there is its own, whatever runs beside it. */
export async function ownTmpdir(t: Test): Promise<string> {
  const before = process.env.TMPDIR;
  const folder = await mkdtemp(join(tmpdir(), "pth-tmpdir-")); // not every program's script takes spaces
  await chmod(folder, 0o755);
  process.env.TMPDIR = folder;
  t.teardown(async () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    await removeWhenLeft(folder);
  });
  return folder;
}
