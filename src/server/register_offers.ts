/** Resources, prompts and completions on the MCP library; their lists are the front desk's. */
import type { Server } from "@modelcontextprotocol/sdk/server";
// Deno does not find the declarations behind this package's pattern export when the name ends in ".js".
// @ts-types="@modelcontextprotocol/sdk/types"
import {
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { log } from "../platform/log.ts";
import type { LazyHarness } from "./lazy_harness.ts";
import type { ReadParts } from "./resources/read_resource.ts";

export interface OfferParts extends Omit<ReadParts, "door"> {
  door: Pick<LazyHarness, "active" | "open" | "onActivation">;
}

/** Each is loaded when it is first asked for. */
export function registerOffers(server: Server, parts: OfferParts): void {
  const { door } = parts;
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }) => {
    const { readResource } = await import("./resources/read_resource.ts");
    return await readResource(params.uri, parts);
  });
  server.setRequestHandler(GetPromptRequestSchema, async ({ params }) => {
    const { getPrompt } = await import("./prompts/get_prompt.ts");
    return getPrompt(params.name, params.arguments ?? {}, door.active);
  });
  server.setRequestHandler(CompleteRequestSchema, async ({ params }) => {
    const { completeArgument: complete } = await import("./complete_argument.ts");
    return await complete(params, door);
  });
  door.onActivation(() => {
    server.sendResourceListChanged().catch((error) =>
      log.debug("cannot notify the client that the resources changed", { error })
    );
  });
}
