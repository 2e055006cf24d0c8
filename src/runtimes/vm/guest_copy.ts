/** Files and folders in and out of a guest, as tar streams through a command of its own. */
import { posix } from "node:path";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { errorMessage, PthError } from "../../core/errors.ts";
import { firstLine } from "../../core/text.ts";
import { collect } from "../../platform/process.ts";
import type { CopyLimits } from "../../../machines/model/environment_operations.ts";
import { packForEnvironment } from "../shared/pack_for_environment.ts";
import { unpackTo } from "../shared/unpack.ts";
import type { Start } from "./guest_exec.ts";
import type { InsideCommand } from "../shared/agent/inside_command.ts";

/** Makes the folder, and unpacks there what comes. */
const unpackScript = 'mkdir -p -- "$1" && exec tar -x --no-same-owner -C "$1"';
/** Packs one thing by its own name, whatever links lead to its folder. */
const packScript = 'cd -- "$1" && exec tar -c -- "$2"';

/** A file or a folder's contents, owned by root inside; missing parents are made. @throws {PthError} `COPY_FAILED` */
export async function copyIntoGuest(
  start: Start,
  hostPath: string,
  envPath: string,
  signal?: AbortSignal,
): Promise<void> {
  const action = `Cannot copy ${hostPath} to ${envPath}`;
  const { archive, folder } = await packForEnvironment(hostPath, envPath, action);
  await unpackInGuest(start, archive, { folder, action, signal });
}

/** @throws {PthError} `COPY_FAILED` */
async function unpackInGuest(
  start: Start,
  archive: NodeJS.ReadableStream,
  { folder, action, signal }: { folder: string; action: string; signal: AbortSignal | undefined },
): Promise<void> {
  const command = ["sh", "-c", unpackScript, "sh", folder];
  const unpacking = await start({ command, cwd: "/", env: {}, stdin: true });
  const said = saysOnly(unpacking);
  try {
    await pipeline(archive, unpacking.stdin, signal ? { signal } : {});
  } catch (cause) {
    await unpacking.signal("SIGKILL");
    throw new PthError("COPY_FAILED", `${action}: ${errorMessage(cause)}`, {}, { cause });
  }
  await mustSucceed(unpacking, said, action);
}

/** A file, or a folder whose contents join what the target holds. @throws {PthError} `COPY_FAILED` */
export async function copyOutOfGuest(
  start: Start,
  envPath: string,
  hostPath: string,
  limits: CopyLimits = {},
): Promise<void> {
  const action = `Cannot copy ${envPath} to ${hostPath}`;
  const command = ["sh", "-c", packScript, "sh", posix.dirname(envPath), posix.basename(envPath)];
  const packing = await start({ command, cwd: "/", env: {}, stdin: false });
  const said = collect(packing.stderr);
  // Where unpacking ends early, the command's own stream stays: what still comes must be read for the command to end.
  const archive = new PassThrough();
  packing.stdout.on("error", (error: Error) => archive.destroy(error));
  const unpacked = await unpackTo(packing.stdout.pipe(archive), hostPath, { action, ...limits }).then(
    () => undefined,
    (cause: unknown) => ({ cause }),
  );
  if (unpacked) await packing.signal("SIGKILL");
  packing.stdout.resume();
  // What the guest says comes first: an archive that it could not make cannot be unpacked either.
  await mustSucceed(packing, said, action, unpacked?.cause);
  if (unpacked) throw unpacked.cause;
}

function saysOnly(command: InsideCommand): { text(): string } {
  command.stdout.resume();
  return collect(command.stderr);
}

async function mustSucceed(
  command: InsideCommand,
  said: { text(): string },
  action: string,
  cause?: unknown,
): Promise<void> {
  const status = await command.settled;
  if (status?.code === 0 || (status?.signal === "SIGKILL" && cause !== undefined)) return;
  if (status === undefined) {
    throw new PthError("ENVIRONMENT_LOST", `${action}: the connection to the guest was lost`);
  }
  const output = said.text();
  const why = firstLine(output) || `exited with ${status.code ?? status.signal}`;
  throw new PthError("COPY_FAILED", `${action}: ${why}`, { output });
}
