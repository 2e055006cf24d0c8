/** `prompts/get`: the task as one message of the person's. */
// @ts-types="@modelcontextprotocol/sdk/types"
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import type { GetPromptResult } from "@modelcontextprotocol/sdk/types";
import { visibleName } from "../../core/text.ts";
import { type Given, isPrompt, promptArguments, promptNames, promptText, promptTitle } from "./prompts.ts";

/** @throws {McpError} for an unknown prompt or argument */
export function getPrompt(name: string, given: Given, active: boolean): GetPromptResult {
  if (!isPrompt(name)) {
    throw invalid(`there is no prompt ${visibleName(name)}; there are ${promptNames.join(", ")}`);
  }
  const known = promptArguments(name);
  const unknown = Object.keys(given).filter((key) => !known.includes(key));
  if (unknown.length > 0) {
    throw invalid(
      `${name} has no argument ${unknown.map((key) => visibleName(key)).join(", ")}; it has ${
        known.join(", ")
      }`,
    );
  }
  return {
    description: promptTitle(name),
    messages: [{ role: "user", content: { type: "text", text: promptText(name, given, active) } }],
  };
}

const invalid = (state: string): McpError =>
  new McpError(ErrorCode.InvalidParams, `Cannot get the prompt: ${state}`);
