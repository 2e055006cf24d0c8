/** Playbooks from files: YAML, JSON, or a program that exports one. */
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";
import type { Playbook } from "../../../machines/model/playbook.ts";
import { errorMessage, PthError } from "../../core/errors.ts";
import { maxLength } from "../../core/read_source.ts";
import { isNotFound, readTextFile, stat } from "../../platform/files.ts";
import { checkPlaybook, readPlaybook } from "./read_playbook.ts";

/** A character takes four bytes at most. */
const longestFile = 4 * maxLength;
const program = /\.[cm]?[jt]s$/i;

/**
 * Reads `.yaml`, `.yml` and `.json`; imports `.ts` and `.js`, which run and export the playbook by default.
 * @throws {PthError} `TARGET_NOT_FOUND`, `INVALID_PLAYBOOK`
 */
export async function loadPlaybook(file: string): Promise<Playbook> {
  const { size, isFile } = await stat(file).catch((cause: unknown) => {
    if (!isNotFound(cause)) throw cause;
    throw new PthError("TARGET_NOT_FOUND", `Cannot read playbook: there is no file ${file}`, {}, { cause });
  });
  if (!isFile) throw new PthError("TARGET_NOT_FOUND", `Cannot read playbook: ${file} is no file`);
  if (program.test(file)) return await importPlaybook(file);
  if ((size ?? 0) > longestFile) {
    const message = `Cannot read playbook: ${file} has more than ${longestFile} bytes`;
    throw new PthError("INVALID_PLAYBOOK", message);
  }
  return readPlaybook(file, await readTextFile(file));
}

async function importPlaybook(file: string): Promise<Playbook> {
  let module: { default?: unknown };
  try {
    module = await import(pathToFileURL(resolve(file)).href);
  } catch (cause) {
    const message = `Cannot read playbook: ${file} cannot be imported: ${errorMessage(cause)}`;
    throw cause instanceof PthError ? cause : new PthError("INVALID_PLAYBOOK", message, {}, { cause });
  }
  if (module.default === undefined) {
    throw new PthError("INVALID_PLAYBOOK", `Cannot read playbook: ${file} has no default export`, {
      next: ["export default definePlaybook({ turns: […] })"],
    });
  }
  return checkPlaybook(file, module.default);
}
