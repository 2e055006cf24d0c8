/** The MCP server proper: PTH's tools on the MCP library. Loaded when a host has spoken. */
import { Server } from "@modelcontextprotocol/sdk/server";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol";
// Deno does not find the declarations behind this package's pattern export when the name ends in ".js".
// @ts-types="@modelcontextprotocol/sdk/types"
import { CallToolRequestSchema, ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import type { ServerNotification, ServerRequest } from "@modelcontextprotocol/sdk/types";
import { log } from "../platform/log.ts";
import type { RegisteredTool } from "../tools/tool.ts";
import type { Toolset } from "../tools/toolset.ts";
import { type AskingClient, configAsker } from "./config_asker.ts";
import { answerToolCall } from "./answer_tool_call.ts";
import { answerPages } from "./answer_pages.ts";
import type { SessionFrontend } from "./session_frontend.ts";
import { servedParts, serverInfo } from "./initialize_result.ts";
import type { LazyHarness } from "./lazy_harness.ts";
import { type OfferParts, registerOffers } from "./register_offers.ts";
import { type CallProgress, callProgress } from "./progress.ts";
import type { Relisting } from "./relisting.ts";
import type { RunningCalls } from "./running_calls.ts";
import type { ToolMode } from "./prepared_tools.ts";
import type { WatchAddresses } from "./watch_addresses.ts";

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

export interface McpServerParts extends OfferParts {
  version: string;
  mode: ToolMode;
  toolsets: ReadonlySet<Toolset>;
  door: LazyHarness;
  watching: WatchAddresses;
  desk: Pick<SessionFrontend, "structured">;
  relisting: Pick<Relisting, "changed" | "settled">;
  calls: RunningCalls;
  /** Milliseconds without a step after which a caller that asked for progress is notified. */
  silenceMs: number;
  /** Loads the catalogue of tools. */
  tools(): Promise<readonly RegisteredTool[]>;
}

/** `tools/list` is the front desk's. */
export function createMcpServer(
  { version, mode, toolsets, door, watching, recordFile, desk, relisting, calls, silenceMs, tools }:
    McpServerParts,
): Server {
  const pages = answerPages();
  const server = new Server(serverInfo(version), {
    ...servedParts(mode),
  });
  server.onerror = (error) => log.warn("protocol error", { error });
  server.onclose = () => calls.stop();

  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = (await tools()).find(({ name }) => name === params.name);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    const { signal } = extra;
    const patient = extra._meta?.progressToken !== undefined;
    const progress = progressOf(extra, tool.definition.title, silenceMs);
    const askConfig = configAsker(clientOf(server, extra), (step) => progress.step(step));
    const { structured } = desk;
    const parts = {
      door,
      toolsets,
      watching,
      pages,
      calls,
      structured,
      signal,
      progress,
      patient,
      askConfig,
    };
    const result = await answerToolCall(tool, params.arguments ?? {}, parts);
    await relisting.settled();
    return result;
  });

  if (mode === "dynamic") {
    const changed = () => {
      relisting.changed();
      announce(server);
    };
    door.onActivation(changed);
    // With a session, the tool that takes handles is listed already.
    calls.onFirstHandle(() => door.active || changed());
  }
  // After that: the list of tools is the one that a model waits for.
  if (mode !== "test") registerOffers(server, { door, watching, recordFile });
  return server;
}

/** Ways to ask the person behind the client, if the client can ask at all. */
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
    log.debug("cannot notify the client that the tools changed", { error })
  );
}

/** Steps go to a caller who asked for progress. */
function progressOf(
  { _meta, signal, sendNotification }: Extra,
  title: string,
  silenceMs: number,
): CallProgress {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return callProgress({ title, silenceMs });
  return callProgress({
    title,
    silenceMs,
    send: (note) => {
      if (signal.aborted) return;
      sendNotification({ method: "notifications/progress", params: { progressToken, ...note } })
        .catch((error) => log.debug("cannot notify the client of progress", { error }));
    },
  });
}
