/** The tools as their files define them now, whatever the registry says that is yet to be written. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { RegisteredTool } from "../../src/tools/tool.ts";
import { toolFiles, toolsFolder } from "./registries.ts";

export const loadTools = async (root: string): Promise<RegisteredTool[]> =>
  await Promise.all((await toolFiles(root)).map(async ({ name, category, path }) => {
    const module = await import(pathToFileURL(join(root, toolsFolder, path)).href);
    return { name, category, definition: module.default };
  }));
