/** The guest's folder of a synchronized source. */
import { pipeline } from "node:stream/promises";
import type { Readable } from "node:stream";
import { messageOf, PthError } from "../../../errors.ts";
import { collect } from "../../../platform/process.ts";
import type { Guest } from "../guest.ts";
import { nulls, packArguments } from "./host_side.ts";
import { listCommand, listed, type Listing } from "./listing.ts";

const largest = 256 * 1024 * 1024;

export async function listGuest(guest: Guest, folder: string, apart: readonly string[]): Promise<Listing> {
  return listed(
    await guest.exec(listCommand(apart), { cwd: folder, maxBytes: largest }),
    `${folder} in the guest`,
  );
}

/** Removes, then unpacks; the folder is made where it is missing. */
export async function changeGuest(
  guest: Guest,
  folder: string,
  removed: readonly string[],
  archive: Readable | undefined,
): Promise<void> {
  if (removed.length > 0) {
    const script = 'cd -- "$1" && exec xargs -0 rm -rf --';
    const result = await guest.exec(["sh", "-c", script, "sh", folder], { cwd: "/", stdin: nulls(removed) });
    mustBeZero(result.code, result.stderr, `Cannot remove files of ${folder} in the guest`);
  }
  if (archive === undefined) return;
  const script = 'mkdir -p -- "$1" && exec tar -x -p --no-same-owner -C "$1"';
  const unpacking = await guest.spawn(["sh", "-c", script, "sh", folder], { cwd: "/" });
  unpacking.stdout.resume();
  const said = collect(unpacking.stderr);
  const action = `Cannot bring the source to ${folder} in the guest`;
  await pipeline(archive, unpacking.stdin).catch((cause) => {
    throw new PthError("COPY_FAILED", `${action}: ${messageOf(cause)}`, {}, { cause });
  });
  mustBeZero((await unpacking.exited).code, said.text(), action);
}

/** The paths, packed; `done` rejects where they could not be. */
export async function packGuest(
  guest: Guest,
  folder: string,
  paths: readonly string[],
): Promise<{ archive: Readable; done: Promise<void> }> {
  const packing = await guest.spawn(["tar", ...packArguments], { cwd: folder });
  const said = collect(packing.stderr);
  packing.stdin.end(nulls(paths));
  const done = packing.exited.then(({ code }) => {
    // 1: a file changed while it was read; the next round brings it.
    if (code !== 1) mustBeZero(code, said.text(), `Cannot fetch what the guest wrote to ${folder}`);
  });
  return { archive: packing.stdout, done };
}

function mustBeZero(code: number | null, output: string, action: string): void {
  if (code === 0) return;
  throw new PthError("COPY_FAILED", `${action}: ${output.trim().split("\n")[0] || `exited with ${code}`}`, {
    output,
  });
}
