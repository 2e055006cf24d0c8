/** Small file systems, to fill. They take root, for the mount. */
import type { Test } from "tap";
import { mkdir } from "../../src/platform/files.ts";
import { runCommand } from "../../src/platform/process.ts";
import { temporaryFolder } from "./temporary_folder.ts";

/** Makes a folder with a file system of this size (`64k`, `1m`), until the test ends; false where none can be mounted. */
export async function smallDisk(t: Pick<Test, "teardown">, folder: string, size: string): Promise<boolean> {
  await mkdir(folder);
  const options = `size=${size},mode=700`;
  if ((await runCommand(["mount", "-t", "tmpfs", "-o", options, "none", folder])).code !== 0) return false;
  t.teardown(() => runCommand(["umount", folder]));
  return true;
}

/** Value for tap's `skip`: false where small disks can be made, else the reason. */
export const noSmallDisks = async (t: Test): Promise<string | false> =>
  await smallDisk(t, `${await temporaryFolder(t)}/disk`, "64k")
    ? false
    : "no file system can be mounted here";
