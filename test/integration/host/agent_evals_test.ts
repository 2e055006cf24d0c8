// test: timeout=120
/** Evals of a plugin by `pth agent eval`, with a program of the user's as the agent. */
import { join } from "node:path";
import t from "tap";
import type { EvalReport } from "../../../machines/model/eval_result.ts";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { openCliTurns } from "../../support/cli_turns.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { makePlace, root } from "../../support/pth_run.ts";

const turns = openCliTurns();
t.teardown(() => turns.close());

t.test("each case has its playbook and its verdicts; one without is not run, and no pass", async (t) => {
  const place = await makePlace(t);
  const plugin = await copyFixture("agent_plugin", place.folder);
  const books = join(place.folder, "books");
  const files = {
    [`${plugin}/evals/rose/prompt.md`]: "---\nruns: 2\ntags: [flowers]\n---\nfind a rose\n",
    [`${plugin}/evals/rose/graders/found.md`]: "---\ntype: tool_used\ntool: find\ninput_match: rose\n---\n",
    [`${plugin}/evals/rose/graders/said.md`]: "---\ntype: regex\n---\n^Found\\.$\n",
    [`${plugin}/evals/rose/graders/made.md`]: "---\ntype: file_exists\npath: none.txt\n---\n",
    [`${plugin}/evals/oak/prompt.md`]: "find an oak\n",
    [`${plugin}/evals/oak/graders/g.md`]: "---\ntype: regex\nmatch: not_contains\n---\nx\n",
    [`${books}/rose.yaml`]: `turns:
  - calls: [{ tool: find, input: { name: rose } }]
  - text: Found.
`,
  };
  for (const [file, text] of Object.entries(files)) {
    await mkdir(join(file, ".."), { recursive: true });
    await writeTextFile(file, text);
  }
  const evaluate = (...more: string[]) =>
    turns.run([
      ...["agent", "eval", plugin, "--playbook", books, "--env", "host", "--json", "--agent", "command"],
      ...["--agent-command", 'node "$PTH_AGENT/agent.mjs" chat'],
      ...["--agent-folder", join(root, "test/fixtures/agents/small"), "--workers", "3", ...more],
    ], { env: place.env });
  const { code, stdout, stderr } = await evaluate();
  t.equal(code, 1, stderr);
  const { cases } = JSON.parse(stdout) as EvalReport;
  t.match(cases, [
    { name: "oak", status: "refused", score: 0, problems: ["it has no playbook"] },
    {
      name: "rose",
      status: "failed",
      problems: [],
      warnings: [],
      passes: 0,
      graders: [{ name: "found", passed: true }, { name: "made", passed: false }, {
        name: "said",
        passed: true,
      }],
      runs: [{ status: "failed", warnings: [] }, { status: "failed", warnings: [] }],
    },
  ]);
  t.equal(cases.length, 2);
  t.match(stderr, /eval .*oak: not run: it has no playbook \(1 of 3\)/);
  t.match(stderr, /eval .*rose, run 2 of 2: failed \(. of 3\)/);
  const tagged = await evaluate("--tag", "flowers", "--grep", "^r", "--runs", "1");
  t.match(JSON.parse(tagged.stdout), { cases: [{ name: "rose", runs: { length: 1 } }] }, tagged.stderr);
  const small = [
    ...["--env", "host", "--agent", "command", "--agent-command", 'node "$PTH_AGENT/agent.mjs" chat'],
    ...["--agent-folder", join(root, "test/fixtures/agents/small"), "--playbook", join(books, "rose.yaml")],
  ];
  const made = await turns.run(["agent", "new-eval", plugin, "Find a rose", ...small], { env: place.env });
  t.equal(made.code, 0, made.stderr);
  t.match(
    made.stderr,
    /Wrote evals\/find-a-rose: prompt\.md, and as proposals the graders uses_find, makes_done_txt, says/,
  );
  const again = await turns.run(["agent", "eval", plugin, "--case", "find-a-rose", ...small], {
    env: place.env,
  });
  t.match([again.code, again.stdout], [0, /find-a-rose[^]*Passed: 1 case/], again.stderr);
  const none = await evaluate("--tag", "trees");
  t.equal(none.code, 2);
  t.match(none.stderr, /no case has tag "?trees[^]*Tags that exist: flowers/);
});
