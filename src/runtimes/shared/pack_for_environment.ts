/** Packs files and folders of the host as tar archives that an environment unpacks; everything in them is owned by root. */
import { basename, dirname, posix } from "node:path";
import tar from "tar-fs";
import { errorMessage, PthError } from "../../core/errors.ts";
import { stat } from "../../platform/files.ts";

export interface PackedForEnvironment {
  archive: tar.Pack;
  /** Folder inside in which it is unpacked: the target of a folder, the parent of a file. */
  folder: string;
}

/**
 * Packs a folder's contents, or one file under its name inside.
 * @param action Beginning of the error: "Cannot copy a to b".
 * @throws {PthError} `COPY_FAILED` where the host's path cannot be read
 */
export async function packForEnvironment(
  hostPath: string,
  envPath: string,
  action: string,
): Promise<PackedForEnvironment> {
  const info = await stat(hostPath).catch((cause) => {
    const reason = `it cannot be read on the host (${errorMessage(cause)})`;
    throw new PthError("COPY_FAILED", `${action}: ${reason}`, {}, { cause });
  });
  return info.isDirectory
    ? { archive: tar.pack(hostPath, { map: ownedByRoot }), folder: envPath }
    : { archive: packFile(hostPath, posix.basename(envPath)), folder: posix.dirname(envPath) };
}

/** Packs one file under another name; a link is followed. */
export const packFile = (path: string, name: string): tar.Pack =>
  tar.pack(dirname(path), {
    entries: [basename(path)],
    dereference: true,
    map: (header) => Object.assign(ownedByRoot(header), { name }),
  });

const ownedByRoot = (header: tar.Headers): tar.Headers => Object.assign(header, { uid: 0, gid: 0 });
