/** The MCP server proper: PTH's tools on the MCP library. Loaded when a host has spoken. */
import { Server } from "@modelcontextprotocol/sdk/server";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol";
// Deno does not find the declarations behind this package's pattern export when the name ends in ".js".
// @ts-types="@modelcontextprotocol/sdk/types"
import { CallToolRequestSchema, ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import type { ServerNotification, ServerRequest } from "@modelcontextprotocol/sdk/types";
import type { Step } from "../harness.ts";
import { log } from "../platform/log.ts";
import type { RegisteredTool } from "../tools/tool.ts";
import type { Toolset } from "../tools/toolset.ts";
import { type AskingClient, configAsker } from "./ask_config.ts";
import { callTool } from "./call_tool.ts";
import { answerPages } from "./answer_pages.ts";
import type { FrontDesk } from "./front_desk.ts";
import { capabilities, instructions, serverInfo } from "./greeting.ts";
import type { HarnessDoor } from "./harness_door.ts";
import { progressNotes } from "./progress.ts";
import type { Relisting } from "./relisting.ts";
import type { ToolMode } from "./tool_list.ts";
import type { WatchAddresses } from "./watch_addresses.ts";

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

export interface McpServerParts {
  version: string;
  mode: ToolMode;
  toolsets: ReadonlySet<Toolset>;
  door: HarnessDoor;
  watching: WatchAddresses;
  desk: Pick<FrontDesk, "structured">;
  relisting: Pick<Relisting, "changed" | "settled">;
  /** Loads the catalogue of tools. */
  tools(): Promise<readonly RegisteredTool[]>;
}

/** `tools/list` is the front desk's. */
export function createMcpServer(
  { version, mode, toolsets, door, watching, desk, relisting, tools }: McpServerParts,
): Server {
  const pages = answerPages();
  const server = new Server(serverInfo(version), { capabilities, instructions });
  server.onerror = (error) => log.warn("protocol error", { error });

  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = (await tools()).find(({ name }) => name === params.name);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    const { signal } = extra;
    const progress = progressSender(extra);
    const askConfig = configAsker(clientOf(server, extra), progress);
    const { structured } = desk;
    const parts = { door, toolsets, watching, pages, structured, signal, progress, askConfig };
    const result = await callTool(tool, params.arguments ?? {}, parts);
    await relisting.settled();
    return result;
  });

  if (mode === "dynamic") {
    door.onActivation(() => {
      relisting.changed();
      announce(server);
    });
  }
  return server;
}

/** How the person behind the client can be asked, if the client can ask at all. */
function clientOf(server: Server, { requestId }: Extra): AskingClient {
  const { form, url } = server.getClientCapabilities()?.elicitation ?? {};
  return {
    takesForms: form !== undefined,
    opensPages: url !== undefined,
    elicit: (params, options) => server.elicitInput(params, { ...options, relatedRequestId: requestId }),
    completed: (id) => server.createElicitationCompletionNotifier(id)(),
  };
}

function announce(server: Server): void {
  server.sendToolListChanged().catch((error) =>
    log.debug("nobody to tell that the tools changed", { error })
  );
}

/** Sends steps to a caller who asked for progress. */
function progressSender(extra: Extra): (step: Step) => void {
  const progressToken = extra._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  const noteOf = progressNotes();
  return (step) => {
    const note = noteOf(step);
    if (note === undefined || extra.signal.aborted) return;
    extra.sendNotification({ method: "notifications/progress", params: { progressToken, ...note } })
      .catch((error) => log.debug("nobody to tell about progress", { error }));
  };
}
