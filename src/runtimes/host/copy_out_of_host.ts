/** Files and folders that a plugin made on the bare host: bounded as from any environment, and never opened to be looked at. */
import { basename, dirname } from "node:path";
import { PassThrough } from "node:stream";
import { isAbsent, lstat } from "../../platform/files.ts";
import { collect, spawnProcess } from "../../platform/process.ts";
import { copyError, copyFailed } from "../shared/copy_limits.ts";
import { unpackTo } from "../shared/unpack.ts";
import type { CopyLimits } from "../../../machines/model/environment_operations.ts";

/** A file, or a folder whose contents join what the target holds. @throws {PthError} `COPY_FAILED`, `DISK_FULL` */
export async function copyOutOfHost(from: string, to: string, limits: CopyLimits = {}): Promise<void> {
  const action = `Cannot copy ${from} to ${to}`;
  try {
    await lstat(from);
  } catch (error) {
    if (isAbsent(error)) throw copyFailed(action, `${from} does not exist`, [], error);
    throw copyError(action, error);
  }
  // The whole of "/" has no name of its own.
  const contents = basename(from) === "";
  const command = ["tar", "-C", dirname(from), "-cf", "-", contents ? "." : `./${basename(from)}`];
  const packing = await spawnProcess(command, { ownGroup: true });
  packing.stdin.end();
  const archive = packing.stdout.pipe(new PassThrough()); // Node drops what nobody reads of a process that ended
  const said = collect(packing.stderr);
  try {
    await unpackTo(archive, to, { action, contents, ...limits });
  } finally {
    packing.kill("SIGKILL");
  }
  const { code, signal } = await packing.exited;
  // 1: a file changed while it was read, as files of a living plugin do.
  if (code === 0 || code === 1 || (code === null && signal === "SIGKILL")) return;
  throw copyFailed(action, said.text().trim() || `tar ended with ${code ?? signal}`);
}
