// test: timeout=300
/** A suite of all three tiers over the sample plugin: by `pth run`, and through a real MCP client. */
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import t from "tap";
import { mkdir, readTextFile, writeTextFile } from "../../../src/platform/files.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { openSessionClient } from "../../support/session_client.ts";
import { makePlace, runPth, story } from "../../support/pth_run.ts";

t.setTimeout(290_000);

const suite = fileURLToPath(new URL("../../fixtures/three_tiers/three_tiers.yaml", import.meta.url));
const expected = {
  "add_numbers - three numbers": "passed",
  "divide - by zero": "passed",
  "an order's total is kept and found again": "passed",
  "variables do not outlive their test, the server's state does": "passed",
  "a file is written and verified (scripted)": "passed",
  "a file is written and verified (prompt)": "skipped",
};
const statuses = (tests: readonly { name: string; status: string }[]) =>
  Object.fromEntries(tests.map(({ name, status }) => [name, status]));

t.test("pth run runs scenarios and tool sequences, and skips a prompt with its reason", async (t) => {
  const place = await makePlace(t);
  const plugin = await copyFixture("sample_plugin", place.folder, "archives");
  const ran = await runPth(place, [plugin, "--env", "host", "--tests", suite, "--workers", "2"]);
  t.equal(ran.code, 0, story(ran));
  t.same(statuses(ran.report.tests), expected);
  const prompt = ran.report.tests.find(({ status }) => status === "skipped");
  t.match(prompt?.note, /needs an agent: run it by its id/);
});

interface Result {
  id: string;
  name: string;
  status: string;
  message?: string;
  failedStep?: number;
}

t.test("over MCP: the same verdicts, each step's words, a broken step found in the source, workflows in the README", async (t) => {
  const { call, succeed, folder } = await openSessionClient(t);
  const plugin = await copyFixture("sample_plugin", folder, "archives");
  await mkdir(join(plugin, ".pth/tests"), { recursive: true });
  await writeTextFile(join(plugin, ".pth/tests/three_tiers.yaml"), await readTextFile(suite));
  await succeed(t, "pth_start_session", { pluginPath: plugin });
  const provisioned = await call("pth_provision_environment", { runtime: "sandbox" });
  if (provisioned.isError) await succeed(t, "pth_provision_environment", { runtime: "host" });
  await succeed(t, "pth_load_plugin");
  await succeed(t, "pth_run_test_suite", {});
  const results = async () => {
    const { data } = await succeed(t, "pth_get_test_results", { detail: true });
    return (data as unknown as { results: Result[] }).results;
  };
  t.match(statuses(await results()), expected);

  const { data } = await succeed(t, "pth_get_iteration_status", {
    show: ["exchange"],
    test: "an order's total is kept and found again",
  });
  const [{ calls }] = data["shown"] as [{ calls: { tool?: string }[] }];
  t.same(calls.map(({ tool }) => tool), ["price_order", "add_numbers", "kv_set", "kv_get"]);

  const prompt = (await results()).find(({ status }) => status === "skipped")!;
  const { data: begun } = await succeed(t, "pth_run_test", { id: prompt.id });
  t.match(begun, { status: "needs_agent", prompt: "Write a file hello.txt that says hello." });
  const { runId } = begun;
  const input = { name: "hello.txt", content: "hello" };
  await succeed(t, "pth_call_plugin_tool", { runId, tool: "create_file", input });
  const item = "The file says hello";
  await succeed(t, "pth_complete_test_run", {
    runId,
    checklist: [{ item, met: true, evidence: "create_file answered with its path" }],
  });
  t.match(
    statuses(await results()),
    { ...expected, [prompt.name]: "passed" },
    "an agent has worked on the prompt",
  );

  const docs = await succeed(t, "pth_update_plugin_docs", { detail: true });
  t.match(docs.text, /^\+#+ Workflow: an order's total is kept and found again$/m);
  t.match(docs.text, /"\$total"/, "what a step takes from an earlier one is shown as a variable");

  const broken = (await readTextFile(suite)).match(/- name: "an order's[\s\S]*?(?=\n\n)/)![0]
    .replace("an order's total is kept and found again", "an order that is wrong")
    .replace('"801"', '"802"');
  await succeed(t, "pth_create_test", { yaml: broken });
  await call("pth_run_test", { id: "an-order-that-is-wrong" });
  const failed = (await results()).find(({ name }) => name === "an order that is wrong");
  t.match(failed, { status: "failed", failedStep: 1, message: /^step 2 \(add_numbers\): output_equals/ });
  const diagnosis = await succeed(t, "pth_diagnose_failure", {});
  t.match(diagnosis.text, /number_tools\.ts/, "the handler of the step's tool is the place to look");
});
