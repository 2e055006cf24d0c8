/** The tools as their files define them now, whatever the registry says that is yet to be written. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { RegisteredTool } from "../../src/tools/tool.ts";
import { definitionKinds } from "./definition_kinds.ts";
import { definitionsOf } from "./registries.ts";

const toolKind = definitionKinds.find(({ define }) => define === "defineTool")!;

export const loadTools = async (root: string): Promise<RegisteredTool[]> =>
  await Promise.all((await definitionsOf(root, toolKind)).map(async ({ name, category, path }) => {
    const module = await import(pathToFileURL(join(root, path)).href);
    return { name: `pth_${name}`, category, definition: module.default };
  }));
