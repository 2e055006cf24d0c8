/** A text file that is written piece by piece, or whole at the end. */
import { appendFile, mkdir, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { writeTextAtomically } from "./files.ts";

export interface FileOutput {
  readonly path: string;
  write(text: string): void;
  /** Resolves when all is in the file; rejects with what went wrong first. */
  close(): Promise<void>;
}

/** "stream" empties the file now and appends in order, "append" keeps what it holds; "whole" replaces it in one go on `close`. */
export async function openFileOutput(path: string, mode: "stream" | "append" | "whole"): Promise<FileOutput> {
  await mkdir(dirname(path), { recursive: true });
  if (mode === "whole") return wholeFile(path);
  if (mode === "stream") await writeFile(path, "");
  let appended: Promise<void> = Promise.resolve();
  return {
    path,
    write(text) {
      appended = appended.then(() => appendFile(path, text));
      // Reported by close; without a listener here it would end the process meanwhile.
      appended.catch(() => {});
    },
    close: () => appended,
  };
}

function wholeFile(path: string): FileOutput {
  const pieces: string[] = [];
  return {
    path,
    write: (text) => void pieces.push(text),
    async close() {
      if (pieces.length === 0) return;
      const text = pieces.join("");
      // A device or a pipe is written to, never replaced.
      if (await isSpecial(path)) await writeFile(path, text);
      else await writeTextAtomically(path, text);
    },
  };
}

async function isSpecial(path: string): Promise<boolean> {
  try {
    const found = await stat(path);
    return !found.isFile() && !found.isDirectory();
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return false;
    throw error;
  }
}
