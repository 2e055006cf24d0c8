/** New cases of evals from sessions: read again they are what the session did, and nothing is overwritten. */
import { join } from "node:path";
import t from "tap";
import type { AgentSessionResult, TraceEntry } from "../../../../machines/model/agent_session.ts";
import { gradeCase } from "../../../../src/agents/evals/grade_case.ts";
import { proposeCase } from "../../../../src/agents/evals/propose_case.ts";
import { readEvals } from "../../../../src/agents/evals/read_evals.ts";
import { newCaseFolder, writeCase } from "../../../../src/agents/evals/write_case.ts";
import { mkdir, pathExists, readTextFile, writeTextFile } from "../../../../src/platform/files.ts";
import { temporaryFolder } from "../../../support/temporary_folder.ts";

const call = (tool: string, isError = false): TraceEntry => ({
  type: "tool_call",
  lane: "main",
  id: "call",
  tool,
  input: {},
  is_error: isError,
  hooks: [],
});

function sessionOf(
  text: string,
  calls: TraceEntry[],
  made: string[] = [],
): Pick<AgentSessionResult, "trace"> {
  return {
    trace: {
      format: "pth-agent-trace/1",
      timeline: [...calls, { type: "turn", lane: "main", text, calls: [] }],
      changes: made.map((path) => ({ path, change: "added" })),
      warnings: [],
    },
  };
}

t.test("a case is written whose graders the session passes, and Claude Code's own tools need no grant", async (t) => {
  const plugin = await temporaryFolder(t);
  const session = sessionOf(
    "\n Found a rose (7 $).\nBye",
    [call("mcp__shop__find"), call("mcp__shop__find"), call("Skill"), call("mcp__shop__buy", true)],
    ["out/list.txt", "odd*.txt"],
  );
  const folder = await newCaseFolder(plugin, "rose");
  const proposed = proposeCase(folder, "  find a rose\n---\nplease ", session);
  t.strictSame(proposed.graders, ["uses_mcp_shop_find", "uses_skill", "makes_list_txt", "says"]);
  await writeCase(plugin, proposed.files);
  const { cases: [read, ...more] } = await readEvals(plugin);
  t.match(read, {
    name: "rose",
    folder: "evals/rose",
    execution: {
      prompt: "find a rose\n---\nplease",
      max_turns: 10,
      allowed_tools: ["mcp__shop__find", "mcp__shop__buy"],
    },
    runnerOnly: [],
  });
  t.strictSame(more, []);
  const verdicts = gradeCase(read!, session);
  t.equal(verdicts.length, 4);
  t.ok(verdicts.every(({ passed }) => passed), JSON.stringify(verdicts));
  t.ok(gradeCase(read!, sessionOf("Found a rose 7 .", [])).every(({ passed }) => !passed), "they can fail");
});

t.test("many turns are allowed, and tools with odd names keep their names", async (t) => {
  const plugin = await temporaryFolder(t);
  const odd = ["a: b\n---\nc", "a b", "../../a-b", "- #"];
  const turns = Array.from({ length: 12 }, (): TraceEntry => ({ type: "turn", lane: "main", calls: [] }));
  const { files } = proposeCase(
    "evals/odd",
    "go",
    sessionOf("", [...odd.map((tool) => call(tool)), ...turns]),
  );
  await writeCase(plugin, files);
  const { cases: [read] } = await readEvals(plugin);
  t.equal(read!.execution.max_turns, 13);
  t.strictSame(read!.execution.allowed_tools, odd);
  t.strictSame(read!.graders.map((grader) => "tool" in grader && grader.tool).toSorted(), odd.toSorted());
});

t.test("a session that leaves nothing to look for gives no case", (t) => {
  t.throws(() => proposeCase("evals/a", "go", sessionOf("", [call("x", true)])), { code: "INVALID_INPUT" });
  t.end();
});

t.test("what is there already stays, and a case that cannot be written leaves nothing", async (t) => {
  const plugin = await temporaryFolder(t);
  await mkdir(join(plugin, "evals/a"), { recursive: true });
  await writeTextFile(join(plugin, "evals/a/prompt.md"), "mine");
  await t.rejects(newCaseFolder(plugin, "a"), { message: /there is evals\/a already/ });
  for (const name of ["", "../a", ".a", "a/b"]) {
    await t.rejects(newCaseFolder(plugin, name), { message: /no name of a folder/ });
  }
  await t.rejects(writeCase(plugin, { "evals/a/graders/g.md": "g", "evals/a/prompt.md": "theirs" }));
  t.equal(await readTextFile(join(plugin, "evals/a/prompt.md")), "mine");
  t.notOk(await pathExists(join(plugin, "evals/a/graders")));
});

t.test("the folder is the one that the manifest names", async (t) => {
  const plugin = await temporaryFolder(t);
  await mkdir(join(plugin, ".claude-plugin"));
  const manifest = { name: "p", experimental: { evals: "quality/evals" } };
  await writeTextFile(join(plugin, ".claude-plugin/plugin.json"), JSON.stringify(manifest));
  t.equal(await newCaseFolder(plugin, "a"), "quality/evals/a");
});
