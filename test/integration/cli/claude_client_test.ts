// test: timeout=180
/** Claude Code's own MCP client against PTH; a local stand-in takes the place of the model. `PTH_CLAUDE` is its command. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import t from "tap";
import { env } from "../../../src/platform/host.ts";
import { run } from "../../../src/platform/process.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const claude = env("PTH_CLAUDE");
const skip = claude === undefined ? "PTH_CLAUDE does not name a Claude Code command" : false;

/** Answers every message with "ok" and keeps what it was asked. */
async function modelStandIn() {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => body += chunk);
    request.on("end", () => {
      if (!request.url?.startsWith("/v1/messages")) return response.end("{}");
      requests.push(body);
      const { model } = JSON.parse(body) as { model: string };
      const usage = { input_tokens: 1, output_tokens: 1 };
      const message = { id: "m", type: "message", role: "assistant", model, content: [], usage };
      const events: [string, object][] = [
        ["message_start", { message }],
        ["content_block_start", { index: 0, content_block: { type: "text", text: "" } }],
        ["content_block_delta", { index: 0, delta: { type: "text_delta", text: "ok" } }],
        ["content_block_stop", { index: 0 }],
        ["message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage }],
        ["message_stop", {}],
      ];
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const [type, data] of events) {
        response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
      }
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests, close: () => server.close() };
}

t.test("Claude Code's MCP client lists exactly the three tools of the dormant state", { skip }, async (t) => {
  t.setTimeout(120_000);
  const model = await modelStandIn();
  t.teardown(model.close);
  const servers = { mcpServers: { pth: { command: "sh", args: [`${root}scripts/mcp.sh`] } } };
  const home = t.testdir({ "mcp.json": JSON.stringify(servers), project: {} });
  const command = [claude!, "-p", "hello", "--mcp-config", `${home}/mcp.json`, "--strict-mcp-config"];
  const result = await run(command, {
    cwd: `${home}/project`,
    env: {
      HOME: home,
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "none",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    },
  });
  t.equal(result.code, 0, result.stderr);
  const names = model.requests.flatMap((request) => request.match(/mcp__pth__\w+/g) ?? []);
  t.same([...new Set(names)].sort(), [
    "mcp__pth__pth_preflight",
    "mcp__pth__pth_resume_session",
    "mcp__pth__pth_start_session",
  ]);
});
