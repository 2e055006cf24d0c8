// test: timeout=180
/** Claude Code's own MCP client against PTH; a scripted model takes the place of the real one. */
import { fileURLToPath } from "node:url";
import t from "tap";
import { onlyServer, openClaudeCode, withoutClaude } from "../claude_code/claude_code.ts";
import { startModelServer } from "../claude_code/model_server.ts";
import { offeredIn } from "../claude_code/seen.ts";

const script = fileURLToPath(new URL("../../../scripts/mcp.sh", import.meta.url));

for (const toolSearch of [false, true]) {
  const how = toolSearch ? "by name, for the model to look up" : "in full";
  t.test(`the three tools of the dormant state are offered ${how}`, { skip: withoutClaude }, async (t) => {
    t.setTimeout(120_000);
    const claude = await openClaudeCode(t);
    const model = await startModelServer(t, { turns: [{ text: "ok" }] });
    const args = await onlyServer(claude, "pth", { command: "sh", args: [script] });
    const result = await claude.converse({ prompt: "hello", model, args, toolSearch });
    t.equal(result.code, 0, result.stderr);
    t.same(model.faults, []);
    t.same(offeredIn(model.requests[0]!).filter((name) => name.startsWith("mcp__pth__")).sort(), [
      "mcp__pth__pth_preflight",
      "mcp__pth__pth_resume_session",
      "mcp__pth__pth_start_session",
    ]);
    t.same(await claude.leftProcesses(), []);
  });
}
