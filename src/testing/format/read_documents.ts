/** Reads files of definitions (YAML, JSON) of a folder; what cannot be read is a problem at its place. */
import { join } from "node:path";
import { asPthError } from "../../core/errors.ts";
import type { Problem } from "../../core/problems.ts";
import { readSource, type SourceDocument } from "../../core/read_source.ts";
import type { ConfinedFolder } from "../../platform/confined/open_confined.ts";
import { longestFile } from "./load.ts";

/**
 * Reads all documents of a file. Links are followed as long as they stay within the root.
 * @param path Path below the root
 * @param problems Gets every mistake; one without a document always adds to it
 * @returns the documents that could be read, some of them with mistakes
 */
export async function readDocuments(
  files: ConfinedFolder,
  path: string,
  problems: Problem[],
): Promise<SourceDocument[]> {
  const file = join(files.root, path);
  const complain = (message: string) => void problems.push({ file, line: 1, column: 1, message });
  let text: string | undefined;
  try {
    text = await files.readText(path, { maxBytes: longestFile, followWithin: true });
  } catch (error) {
    complain(asPthError(error, "Cannot read").message);
    return [];
  }
  const { documents, problems: found } = readSource(file, text ?? "");
  problems.push(...found);
  if (documents.length === 0 && found.length === 0) complain("expected a map of keys, the file has none");
  return documents;
}

/** Reads the one document of a file: a second one is a problem. Undefined where there is none. */
export async function readDocument(
  files: ConfinedFolder,
  path: string,
  problems: Problem[],
): Promise<SourceDocument | undefined> {
  const [document, second] = await readDocuments(files, path, problems);
  if (second !== undefined) {
    problems.push({ file: join(files.root, path), ...second.place([]), message: "expected one document" });
  }
  return document;
}
