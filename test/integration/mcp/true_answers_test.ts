// test: timeout=120
/** Answers that must not flatter: environments that are not there, results older than the code. */
import t from "tap";
import { gitOutput } from "../../../src/git/git.ts";
import { openSessionClient } from "../../support/session_client.ts";
import { adderServer } from "../../support/small_server.ts";

t.setTimeout(110_000);
const { call, succeed, begin } = await openSessionClient(t);

const right = "export const add = ({ a, b }) => a + b;\n";
const files = {
  "server.mjs": adderServer,
  "add.mjs": right,
  "package.json": JSON.stringify({
    name: "adder",
    version: "1.0.0",
    main: "server.mjs",
    scripts: { build: "node --check add.mjs" },
  }),
  ".pth/tests/adds.yaml": "name: adds\ntool: add\ninput: { a: 2, b: 3 }\nexpect: { output_equals: '5' }\n",
};

t.test("an environment that cannot be had is never certified with what another one showed", async (t) => {
  if (!await begin(t, files, "host")) return;
  await succeed(t, "pth_run_test_suite");
  const { text, data } = await succeed(t, "pth_verify_cross_distro", { images: ["docker:example/none:1"] });
  const { matrix, state } = data as {
    state: string;
    matrix: { entries: { name: string; state: string; environment?: { id: string; runtime: string } }[] };
  };
  t.equal(state, "failed", text);
  const [host, absent] = matrix.entries;
  t.match(host, { name: "host", state: "passed", environment: { runtime: "host", id: /-e\d+$/ } });
  t.match(absent, { name: "docker:example/none:1", state: "broken" });
  t.equal(absent?.environment, undefined, "it names no environment");
  t.match(text, /not tested: docker:example\/none:1/);
  t.notMatch(text, "no test fails on any");
  await succeed(t, "pth_end_session");
});

const fix = (title: string, content: string) => ({
  tests: ["adds"],
  title,
  edits: [{ path: "add.mjs", content }],
});
const wrong = "export const add = ({ a, b }) => a - b;\n";

t.test("what was broken, was mended and broke again is blamed on the fix that broke it again", async (t) => {
  if (!await begin(t, { ...files, "add.mjs": wrong }, "host")) return;
  await succeed(t, "pth_apply_fix", fix("add, not subtract", right));
  const { data } = await succeed(t, "pth_apply_fix", fix("tidy the sum", wrong));
  const { commit } = data["fix"] as { commit: string };
  const { text, data: found } = await succeed(t, "pth_get_fix_history", { brokeTest: "adds" });
  t.match(found, { culprits: [{ commit }], lastGood: { title: "add, not subtract" }, brokenBefore: true });
  t.match(text, `adds fails since this commit:`);
  t.notMatch(text, "no fix broke it");
  await succeed(t, "pth_end_session");
});

t.test("results older than the last fix are told as such wherever they are shown", async (t) => {
  if (!await begin(t, files, "host")) return;
  await succeed(t, "pth_run_test_suite");
  t.match((await succeed(t, "pth_get_test_results")).data, { summary: { passed: 1 }, stale: undefined });
  await succeed(t, "pth_apply_fix", fix("break the build", "export const add = ((;\n"));
  const old = /The results are of commit \w{10}, 1 fix older than the branch/;
  const results = await succeed(t, "pth_get_test_results");
  t.match(results.text, old);
  t.match(results.data, { summary: { passed: 1 }, stale: { results: 1, stale: 1, behind: 1 } });
  t.match((await succeed(t, "pth_get_iteration_status")).text, old);
  t.match((await succeed(t, "pth_run_test_suite")).text, old, "the server still runs with the code before");

  const { isError } = await call("pth_reload_plugin");
  t.ok(isError, "it does not build");
  const unbuilt = /The plugin does not load as the branch has it: Cannot build plugin/;
  t.match((await succeed(t, "pth_get_test_results")).text, unbuilt);
  t.match((await succeed(t, "pth_get_iteration_status")).data, {
    stale: { behind: 1, loadError: /Cannot build/ },
  });
  const docs = await succeed(t, "pth_update_plugin_docs");
  t.match(docs.text, unbuilt);
  t.match(docs.data, { withoutExample: ["add"], outdated: ["add"], stale: { behind: 1 } });
  const exported = await succeed(t, "pth_export_ci");
  t.match(exported.text, /Not verified to pass: 1 of 1 test passed when they ran/);

  const end = await succeed(t, "pth_end_session", { pullRequest: true });
  t.match(end.data, { standing: { state: "unknown" } });
  t.match(end.text, old);
  const { pullRequest, repository, branch } = end.data as {
    pullRequest: { body: string };
    repository: string;
    branch: string;
  };
  t.match(pullRequest.body, old);
  const report = await gitOutput(repository, ["show", `${branch}:.pth/SESSION-REPORT.md`]);
  t.notMatch(report, "All tests pass");
  t.match(report, /## Final state\n\n1 of 1 test passed when they ran\./);
  t.match(report, unbuilt);
});
