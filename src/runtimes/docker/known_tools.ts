/**
 * Versions of the tools that an image holds, by the image's id, which is a hash of its content. Asking each tool in a container
 * that was just made takes longer than bringing the source in; so they are remembered, also for later processes.
 */
import { join } from "node:path";
import { errorMessage } from "../../core/errors.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import { readTextIfExists } from "../../platform/files.ts";
import { stateDir } from "../../platform/host.ts";
import { log } from "../../platform/log.ts";
import { ownershipProblem, writeOwnText } from "../../platform/own_folder.ts";

type Tools = Record<string, string>;

/** Tools by image, the latest last. */
type Memory = Record<string, Tools>;

const mostImages = 20;
/** In characters of JSON. */
const longest = 2000;
const file = (): string => join(stateDir(), "image_tools.json");

/** Undefined for an image that was not looked at. */
export const knownTools = async (imageId: string): Promise<Tools | undefined> => (await read())[imageId];

/** Notes what an image holds. What cannot be noted is looked up again the next time. */
export async function recordTools(imageId: string, tools: Tools): Promise<void> {
  if (JSON.stringify(tools).length > longest) return;
  const { [imageId]: _before, ...others } = await read();
  const kept = [...Object.entries(others), [imageId, tools] as const].slice(-mostImages);
  try {
    await writeOwnText(file(), JSON.stringify(Object.fromEntries(kept) satisfies Memory));
  } catch (error) {
    log.debug("cannot remember what an image holds", { error: errorMessage(error) });
  }
}

/** Entries of another shape, as another PTH may have written, are none. */
async function read(): Promise<Memory> {
  if (await ownershipProblem(stateDir()) !== undefined) return {};
  const found = jsonIn(await readTextIfExists(file()).catch(() => undefined) ?? ""); // unreadable: looked up again
  if (!isObject(found)) return {};
  return Object.fromEntries(
    Object.entries(found).filter((entry): entry is [string, Tools] => isTools(entry[1])),
  );
}

const isTools = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every((version) => typeof version === "string");
