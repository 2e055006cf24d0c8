// test: timeout=240
/** The real Claude Code, recorded in front of a second model server and replayed without it. */
import { join } from "node:path";
import t from "tap";
import type { AgentSessionResult } from "../../../machines/model/agent_session.ts";
import { openCliTurns } from "../../support/cli_turns.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { openVendor } from "../../support/model_vendor.ts";
import { makePlace } from "../../support/pth_run.ts";
import { withoutClaude } from "./claude_code.ts";

const turns = openCliTurns();
t.teardown(() => turns.close());

t.test(
  "tools, a subagent, an error and a folder's path replay as they were",
  { skip: withoutClaude },
  async (t) => {
    const place = await makePlace(t);
    const plugin = await copyFixture("agent_plugin", place.folder);
    const folderIn = (text: string) => /working directory: (\S+)/i.exec(text)?.[1];
    const vendor = await openVendor(t, [
      { thinking: "First.", calls: [{ tool: "mcp__plugin_florist_shop__find", input: { name: "rose" } }] },
      { error: { status: 529, message: "busy", retry_after: 0 } },
      {
        calls: [{
          tool: "Agent",
          input: { subagent_type: "florist:gardener", description: "grow", prompt: "Grow moss" },
        }],
      },
      ({ system, messages }) => {
        const folder = folderIn([system, ...messages.map(({ text }) => text)].join("\n"));
        return { calls: [{ tool: "Write", input: { file_path: `${folder}/vase.txt`, content: "a $rose" } }] };
      },
      { text: "Ordered." },
    ], [{ text: "It has grown." }]);
    const file = join(place.folder, "recorded.yaml");
    const run = async (...args: string[]): Promise<{ code: number | null; result: AgentSessionResult }> => {
      const { code, stdout } = await turns.run(["agent", ...args, "--env", "host", "--json"], {
        env: place.env,
      });
      return { code, result: JSON.parse(stdout || "{}") };
    };
    const recorded = await run(
      "record",
      plugin,
      "/florist:order a rose",
      "--upstream",
      vendor.url,
      "--out",
      file,
    );
    t.strictSame([recorded.code, recorded.result.failures], [0, []]);
    await vendor.close();
    const replayed = await run("replay", plugin, file);
    t.strictSame([replayed.code, replayed.result.failures, replayed.result.drift], [0, [], []]);
    t.ok(
      replayed.result.trace.changes.some(({ path }) => path === "vase.txt"),
      "it is written where this session is",
    );
    t.strictSame(replayed.result.trace, recorded.result.trace);
  },
);
