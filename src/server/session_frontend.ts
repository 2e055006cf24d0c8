/**
 * Answers `initialize`, `ping` and lists by itself, without the MCP library and the tools.
 *
 * Loading those takes longer than everything else at start-up, and a server that only waits needs none of them.
 */
import { isObject } from "../core/values.ts";
import { initializeResult, wantsStructured } from "./initialize_result.ts";
import type { LazyHarness } from "./lazy_harness.ts";
import { type JsonRpcMessage, requestId } from "./json_rpc_message.ts";
import { type PreparedTool, shownTools, type ToolMode } from "./prepared_tools.ts";
import type { OfferList } from "./offer_lists.ts";
import type { Relisting } from "./relisting.ts";
import type { Toolset } from "../tools/toolset.ts";
import type { RunningCalls } from "./running_calls.ts";

interface SessionFrontendOptions {
  version: string;
  mode: ToolMode;
  toolsets: ReadonlySet<Toolset>;
  /** Answers carry structured content for every client, not only for one that asks for it. */
  structured: boolean;
  door: Pick<LazyHarness, "active">;
  /** File in which actors are recorded, if they are. */
  recordFile?: string | undefined;
  relisting: Pick<Relisting, "asked" | "given">;
  calls: Pick<RunningCalls, "given">;
  tools(): Promise<readonly PreparedTool[]>;
}

export interface SessionFrontend {
  /** The answer, or undefined where the message is for the library. */
  answer(message: JsonRpcMessage): Promise<JsonRpcMessage> | undefined;
  /** The answer has been written. */
  answered(request: JsonRpcMessage): void;
  /** Whether this client gets structured content; known once it has said who it is. */
  readonly structured: boolean;
}

export function sessionFrontend(
  { version, mode, toolsets, door, recordFile, relisting, calls, tools, ...parts }: SessionFrontendOptions,
): SessionFrontend {
  let structured = parts.structured;
  let greeted = false;

  const list = async (): Promise<Record<string, unknown>> => {
    relisting.asked();
    const shown = { mode, toolsets, active: door.active, handles: calls.given, structured };
    return { tools: shownTools(await tools(), shown) };
  };
  const offers = async (method: OfferList): Promise<Record<string, unknown>> =>
    await (await import("./offer_lists.ts")).offerLists[method]({ active: door.active, recordFile });
  return {
    get structured() {
      return structured;
    },
    answer(message) {
      const id = requestId(message);
      if (id === undefined) return undefined;
      const reply = (result: Record<string, unknown>): JsonRpcMessage => ({ jsonrpc: "2.0", id, result });
      if (message.method === "ping") return Promise.resolve(reply({}));
      if (message.method === "tools/list" && isListing(message.params)) return list().then(reply);
      if (mode !== "test" && isOfferList(message.method) && isListing(message.params)) {
        return offers(message.method).then(reply);
      }
      if (message.method !== "initialize" || greeted) return undefined;
      const greeting = initializeResult(message, version, mode);
      if (greeting === undefined) return undefined;
      greeted = true;
      structured ||= wantsStructured(message.params?.["capabilities"]);
      return Promise.resolve(greeting);
    },
    answered({ method }) {
      if (method === "tools/list") relisting.given();
    },
  };
}

const isOfferList = (method: string | undefined): method is OfferList =>
  method === "resources/list" || method === "resources/templates/list" || method === "prompts/list";

/** A cursor was never given out, so that one which comes back is the library's to refuse. */
const isListing = (params: unknown): boolean =>
  params === undefined || (isObject(params) && params["cursor"] === undefined);
