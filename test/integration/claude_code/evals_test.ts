// test: timeout=120
/** The real Claude Code: one eval by PTH, and by its own `claude plugin eval`, on one playbook. */
import { join } from "node:path";
import t from "tap";
import type { EvalReport } from "../../../machines/model/eval_result.ts";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { openCliTurns } from "../../support/cli_turns.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { makePlace } from "../../support/pth_run.ts";
import { withoutClaude } from "./claude_code.ts";

const turns = openCliTurns();
t.teardown(() => turns.close());

t.test("PTH and Claude Code's own runner come to the same verdicts", { skip: withoutClaude }, async (t) => {
  const place = await makePlace(t);
  const plugin = await copyFixture("agent_plugin", place.folder);
  const book = join(place.folder, "book.yaml");
  const find = "mcp__plugin_florist_shop__find";
  const files = {
    [`${plugin}/evals/rose/prompt.md`]: `---\nallowed_tools: [${find}]\n---\nfind a rose\n`,
    [`${plugin}/evals/rose/graders/asks.md`]: "---\ntype: llm\n---\nNames the rose\n",
    [`${plugin}/evals/rose/graders/finds.md`]:
      `---\ntype: tool_used\ntool: ${find}\ninput_match: rose\n---\n`,
    [`${plugin}/evals/rose/graders/says.md`]: "---\ntype: regex\n---\nno such words\n",
    [book]: `turns:
  - calls: [{ tool: ${find}, input: { name: rose } }]
  - text: A rose.
    expect: { result: { is_error: false } }
judge:
  - text: PASS
    expect: { prompt: { contains: [Names the rose, A rose.] } }
`,
  };
  for (const [file, text] of Object.entries(files)) {
    await mkdir(join(file, ".."), { recursive: true });
    await writeTextFile(file, text);
  }
  for (const by of ["pth", "agent"]) {
    const args = ["agent", "eval", plugin, "--playbook", book, "--env", "host", "--json", "--by", by];
    const { code, stdout, stderr } = await turns.run(args, { env: place.env });
    t.equal(code, 1, stderr);
    t.match(JSON.parse(stdout || "{}") as EvalReport, {
      by,
      cases: [{
        status: "failed",
        problems: [],
        graders: [
          { name: "asks", passed: true },
          { name: "finds", passed: true },
          { name: "says", passed: false },
        ],
      }],
    });
  }
});
