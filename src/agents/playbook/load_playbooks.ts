/** Playbooks for tests with a prompt: one file for all of them, or a folder with one for each. */
import { join } from "node:path";
import type { Playbook } from "../../../machines/model/playbook.ts";
import type { PlaybookFiles } from "../../../machines/model/prompt_agent.ts";
import { PthError } from "../../core/errors.ts";
import { readDir, stat } from "../../platform/files.ts";
import { loadPlaybook } from "./load_playbook.ts";

const playbookFile = /^(?<id>.+)\.(?:ya?ml|json|[cm]?[jt]s)$/i;

/**
 * @param programs Whether `.ts` and `.js` files are run; otherwise they are refused.
 * @throws {PthError} `TARGET_NOT_FOUND`, `INVALID_PLAYBOOK`
 */
export async function loadPlaybooks(place: string, programs = true): Promise<PlaybookFiles> {
  // What is not there is told by the reader of one file.
  const isFolder = await stat(place).then(({ isDirectory }) => isDirectory, () => false);
  if (!isFolder) return { place, each: await load(place, programs) };
  const byTest: Record<string, Playbook> = {};
  for await (const { name, isFile } of readDir(place)) {
    const id = isFile ? playbookFile.exec(name)?.groups?.["id"] : undefined;
    if (id === undefined) continue;
    if (Object.hasOwn(byTest, id)) {
      throw new PthError("INVALID_PLAYBOOK", `Cannot read playbooks: ${place} has several files for ${id}`);
    }
    byTest[id] = await load(join(place, name), programs);
  }
  if (Object.keys(byTest).length === 0) {
    throw new PthError("TARGET_NOT_FOUND", `Cannot read playbooks: ${place} holds none`, {
      next: ["Each is <test id>.yaml there"],
    });
  }
  return { place, byTest };
}

async function load(file: string, programs: boolean): Promise<Playbook> {
  if (programs || !/\.[cm]?[jt]s$/i.test(file)) return await loadPlaybook(file);
  throw new PthError(
    "INVALID_PLAYBOOK",
    `Cannot read playbook: ${file} is a program, and is not run from here`,
    {
      next: ["Write it as YAML or JSON", { terminal: "Name it with --playbook" }],
    },
  );
}
