/** Texts of configuration files as a fingerprint keeps them: a gzipped tar in base64, opened only where something changed. */
import { Buffer } from "node:buffer";
import { gunzipSync } from "node:zlib";

const block = 512;

/** @returns path (absolute) to text; empty where the archive cannot be read, which costs a diff and nothing else */
export function configTexts(archive: string | undefined): Map<string, string> {
  if (archive === undefined) return new Map();
  let tar: Buffer;
  try {
    tar = gunzipSync(Buffer.from(archive, "base64"));
  } catch {
    return new Map(); // cut off on its way
  }
  return untar(tar);
}

/** Plain files of a ustar or GNU archive. */
function untar(tar: Buffer): Map<string, string> {
  const texts = new Map<string, string>();
  let longName: string | undefined;
  for (let at = 0; at + block <= tar.length && tar[at] !== 0;) {
    const field = (from: number, length: number) =>
      tar.toString("utf8", at + from, at + from + length).split("\0", 1)[0]!;
    const size = Number.parseInt(field(124, 12), 8) || 0;
    const type = field(156, 1);
    const content = tar.subarray(at + block, at + block + size);
    const prefix = field(257, 6) === "ustar" ? field(345, 155) : "";
    const name = longName ?? [prefix, field(0, 100)].filter((part) => part !== "").join("/");
    longName = type === "L" ? content.toString("utf8").split("\0", 1)[0] : undefined;
    if ((type === "0" || type === "") && !content.includes(0)) {
      texts.set(`/${name.replace(/^\/+/, "")}`, content.toString("utf8"));
    }
    at += block + Math.ceil(size / block) * block;
  }
  return texts;
}
