/** Archives that are given: read through once, before any program unpacks them. */
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import tar from "tar-stream";
import yauzl from "yauzl";
import { errorMessage, PthError } from "../core/errors.ts";
import { visibleName } from "../core/text.ts";
import { readStream } from "../platform/streams.ts";

export interface ArchiveLimits {
  /** Bytes of all that is unpacked. */
  maxBytes: number;
  /** Files and folders. */
  maxEntries: number;
}

const mebibyte = 1024 * 1024;
const usual: ArchiveLimits = { maxBytes: 512 * mebibyte, maxEntries: 20_000 };

/**
 * Reads an archive of the host to its end and writes nothing: `.mcpb`, `.dxt`, `.whl` as zip, all others as tar with gzip.
 * Sizes are those that the content has, whatever the archive tells.
 * @throws {PthError} `INVALID_INPUT` for one that is damaged, is too large, or leads out of the folder it is unpacked into
 */
export async function checkArchive(file: string, name: string, limits = usual): Promise<void> {
  const meter = meterOf(limits);
  try {
    await (/\.(?:mcpb|dxt|whl)$/.test(name) ? readZip(file, meter) : readTar(file, meter));
  } catch (error) {
    const [reason, next] = error instanceof Refusal
      ? [error.message, "Do not install it; pack it again where it is yours"]
      : [
        `it is damaged, or not what its name says: ${errorMessage(error)}`,
        "Pack it again, or fetch it again",
      ];
    throw new PthError("INVALID_INPUT", `Cannot unpack ${visibleName(name)}: ${reason}`, { next: [next!] }, {
      cause: error,
    });
  }
}

/** A reason to refuse the archive, in words for people. */
class Refusal extends Error {}

type Meter = ReturnType<typeof meterOf>;

function meterOf({ maxBytes, maxEntries }: ArchiveLimits) {
  let bytes = 0;
  let entries = 0;
  return {
    addBytes(count: number): void {
      bytes += count;
      if (bytes > maxBytes) {
        throw new Refusal(`it unpacks to more than ${Math.floor(maxBytes / mebibyte)} MiB`);
      }
    },
    addEntry(path: string): void {
      const shown = visibleName(path);
      entries++;
      if (entries > maxEntries) throw new Refusal(`it holds more than ${maxEntries} files and folders`);
      if (/^[/\\]|^[A-Za-z]:/.test(path)) throw new Refusal(`it names ${shown}, a place of the machine`);
      if (path.split(/[/\\]/).includes("..")) throw new Refusal(`it names ${shown}, which leads out of it`);
      if (path.includes("\0")) throw new Refusal(`it names ${shown}, which is no file name`);
    },
    /** @param kind in words: `link` … */
    refuseKind(path: string, kind: string): never {
      throw new Refusal(`${visibleName(path)} is a ${kind}, and a package holds files and folders alone`);
    },
  };
}

const kindsOfModes: Record<number, string> = {
  0o010000: "fifo",
  0o020000: "device",
  0o060000: "device",
  0o120000: "link",
  0o140000: "socket",
};

async function readZip(file: string, meter: Meter): Promise<void> {
  const zip = await new Promise<yauzl.ZipFile>((resolve, reject) =>
    // Names are checked here, with the words for people.
    yauzl.open(file, { lazyEntries: true, autoClose: false, decodeStrings: false }, (error, opened) =>
      error ? reject(error) : resolve(opened))
  );
  try {
    await new Promise<void>((resolve, reject) => {
      zip.on("error", reject);
      zip.on("end", resolve);
      zip.on("entry", (entry: yauzl.Entry) => {
        readEntry(zip, entry, meter).then(() => zip.readEntry(), reject);
      });
      zip.readEntry();
    });
  } finally {
    zip.close();
  }
}

async function readEntry(zip: yauzl.ZipFile, entry: yauzl.Entry, meter: Meter): Promise<void> {
  const path = String(entry.fileName);
  meter.addEntry(path);
  const kind = kindsOfModes[(entry.externalFileAttributes >>> 16) & 0o170000];
  if (kind !== undefined) meter.refuseKind(path, kind);
  if ((entry.generalPurposeBitFlag & 1) !== 0) throw new Refusal(`${visibleName(path)} is encrypted`);
  // Unpackers inflate to the end of the data, where an archive tells less than it holds.
  await new Promise<void>((resolve, reject) =>
    zip.openReadStream(entry, (failed, content) => {
      if (failed) return reject(failed);
      content.on("data", (chunk: Uint8Array) => {
        try {
          meter.addBytes(chunk.byteLength);
        } catch (error) {
          reject(error);
          content.destroy();
        }
      });
      content.on("end", resolve);
      content.on("error", reject);
    })
  );
}

const tarKinds: Record<string, string> = {
  symlink: "link",
  link: "link",
  "character-device": "device",
  "block-device": "device",
  fifo: "fifo",
};

async function readTar(file: string, meter: Meter): Promise<void> {
  const extract = tar.extract();
  extract.on("entry", ({ name, type }, content, next) => {
    try {
      meter.addEntry(name);
      const kind = tarKinds[type ?? "file"];
      if (kind !== undefined) meter.refuseKind(name, kind);
    } catch (error) {
      return void extract.destroy(error as Error);
    }
    content.on("end", next);
    content.resume();
  });
  // Headers count, too: an archive may be nothing else.
  const counting = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      try {
        meter.addBytes(chunk.byteLength);
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
  });
  await pipeline(readStream(file), createGunzip(), counting, extract);
}
