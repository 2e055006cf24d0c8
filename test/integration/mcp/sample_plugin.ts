/** A copy of the sample plugin that a session may take for its own. */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Neither what was installed there, nor the lock of a session that tests the original right now. */
const leftOut = /(node_modules|dist|active-session\.lock)$/;

/** Copies it into the folder and answers its path. */
export async function copySamplePlugin(folder: string): Promise<string> {
  const path = join(folder, "sample_plugin");
  const original = fileURLToPath(new URL("../../fixtures/sample_plugin", import.meta.url));
  await cp(original, path, { recursive: true, filter: (each) => !leftOut.test(each) });
  return path;
}
