import t from "tap";
// Deno does not find the declarations behind this package's pattern export when the name ends in ".js".
// @ts-types="@modelcontextprotocol/sdk/types"
import { InitializeResultSchema, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js";
import { initializeResult, protocolVersions } from "../../../src/server/initialize_result.ts";
import type { JsonRpcMessage } from "../../../src/server/json_rpc_message.ts";

const initialize = (params: Record<string, unknown>): JsonRpcMessage => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "a", version: "1" },
    ...params,
  },
});

t.test("the known revisions are those of the library", (t) => {
  t.strictSame(protocolVersions, SUPPORTED_PROTOCOL_VERSIONS);
  t.end();
});

t.test("the greeting is a result that the library accepts", (t) => {
  const greeting = initializeResult(initialize({}), "1.2.3");
  t.equal(greeting?.id, 1);
  const result = InitializeResultSchema.parse(greeting?.["result"]);
  t.match(result, { protocolVersion: "2025-06-18", serverInfo: { name: "pth", version: "1.2.3" } });
  t.equal(result.capabilities.tools?.listChanged, true);
  t.end();
});

t.test("an unknown revision is answered with the newest known one", (t) => {
  const greeting = initializeResult(initialize({ protocolVersion: "2099-01-01" }), "1");
  t.match(greeting, { result: { protocolVersion: protocolVersions[0] } });
  t.end();
});

t.test("anything else is left to the library", (t) => {
  t.equal(initializeResult({ jsonrpc: "2.0", id: 1, method: "server/discover" }, "1"), undefined);
  t.equal(initializeResult({ jsonrpc: "2.0", method: "initialize" }, "1"), undefined);
  t.equal(initializeResult(initialize({ clientInfo: { name: "a" } }), "1"), undefined);
  t.equal(initializeResult(initialize({ capabilities: [] }), "1"), undefined);
  t.equal(initializeResult({ jsonrpc: "2.0", id: 1, method: "initialize" }, "1"), undefined);
  t.end();
});
