/** What a generator of tests is: one file in `generators/`. */
import type { GeneratedTests, GenerateOptions } from "../harness.ts";
import type { ToolDefinition } from "../../machines/model/plugin.ts";

export interface GeneratorDefinition {
  /** As in a test's `generated_from`. */
  name: string;
  summary: string;
  /** The same tools and options give the same tests, byte for byte once written. */
  generate(tools: readonly ToolDefinition[], options: GenerateOptions): GeneratedTests;
}

/** Identity with types: the default export of a file in `generators/`. */
export const defineGenerator = (definition: GeneratorDefinition): GeneratorDefinition => definition;
