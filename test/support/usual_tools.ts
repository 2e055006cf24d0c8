/** The tools that are listed where no toolset is named. */
import { registry } from "../../src/tools/_registry.ts";
import { toolsetOf, usualToolsets } from "../../src/tools/toolset.ts";

export const usualTools = registry.filter((tool) => usualToolsets.includes(toolsetOf(tool)));
