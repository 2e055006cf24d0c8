/** Tokens that the tools' definitions take in each request of a host that loads all of them. */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { prepareTool } from "../../src/server/prepare_tool.ts";
import type { RegisteredTool } from "../../src/tools/tool.ts";

export interface DefinitionTokens {
  name: string;
  category: string;
  /** Tokens of the definition that text clients get. */
  text: number;
  /** Tokens with its `outputSchema`. */
  structured: number;
}

export const definitionTokens = (tools: readonly RegisteredTool[]): DefinitionTokens[] =>
  tools.map((registered) => {
    const { tool } = prepareTool(registered);
    const { outputSchema: _, ...short } = tool;
    return {
      name: tool.name,
      category: registered.category,
      text: countTokens(JSON.stringify(short)),
      structured: countTokens(JSON.stringify(tool)),
    };
  });
