/** Tests that the plugin brings along in `.pth/tests` become the session's baseline (PTH design §5.6). */
import { join } from "node:path";
import { exists } from "../platform/files.ts";
import { assignIds } from "../testing/ids.ts";
import { defaultTestFolder, loadTests } from "../testing/load.ts";
import type { SessionContext } from "./session_context.ts";

/** Folder of the plugin's tests in the session's copy. */
export const testFolder = ({ live }: SessionContext): string =>
  join(live.source!.worktree, live.source!.subfolder, defaultTestFolder);

/** Adds the tests found to those that the session has; none found is fine. */
export async function discoverTests(context: SessionContext): Promise<void> {
  if (context.tests.length > 0) return;
  const folder = testFolder(context);
  if (await exists(folder)) context.tests = assignIds(await loadTests(folder));
}
