// test: timeout=300
/** Makes calls while another takes long: each works beside it at once, or is refused with who is busy. */
import { join } from "node:path";
import t, { type Test } from "tap";
import { usualTools } from "../../support/usual_tools.ts";
import { eventually } from "../../contracts/runtime/context.ts";
import { readiness } from "../../support/readiness.ts";
import { openSessionClient } from "../../support/session_client.ts";
import { isBusy, load, sleeping, slowPlugin } from "./slow_plugin.ts";

t.setTimeout(280_000);
const { folder, call, succeed, begin } = await openSessionClient(t);

/** Arguments with which a call is short. */
const inputs: Record<string, Record<string, unknown>> = {
  pth_apply_fix: { title: "note", edits: [{ path: "more.txt", content: "two\n" }] },
  pth_call_plugin_tool: { tool: "hello" },
  pth_complete_test_run: { runId: "none" },
  pth_copy_from_environment: { envPath: "notes.txt", hostPath: join(folder, "notes.txt") },
  pth_copy_to_environment: { hostPath: import.meta.filename, envPath: "/tmp/copied" },
  pth_create_test: { yaml: "name: again\ntool: hello\n" },
  pth_delete_test: { id: "none" },
  pth_edit_test: { id: "none", yaml: "name: none\ntool: hello\n" },
  pth_exec_in_environment: { command: "true" },
  pth_export_ci: { output: join(folder, "exported") },
  pth_fuzz_tools: { tools: ["hello"], runs: 1 },
  pth_get_answer: { call: "call-1" },
  pth_get_more: { cursor: "none" },
  pth_record_calls: { action: "stop" },
  pth_resume_session: { branch: "pth/none" },
  pth_revert_fix: { commit: "abcdef1" },
  pth_run_performance_suite: { tools: ["hello"], calls: 1 },
  pth_run_test: { id: "hello" },
  pth_run_test_suite: { tool: "hello" },
  pth_snapshot_environment: { tag: "here" },
  pth_start_session: { pluginPath: folder },
  pth_verify_cross_distro: { images: ["host"] },
};

/** Calls that take the ground away from the others, or run every test, and those that look at the whole machine. */
const apart = new Set([
  "pth_destroy_environment",
  "pth_end_session",
  "pth_load_plugin",
  "pth_preflight",
  "pth_provision_environment",
  "pth_rebuild_base_images",
  "pth_reload_plugin",
  "pth_reprovision_environment",
  "pth_rollback_environment",
  "pth_run_iteration",
  "pth_run_iteration_loop",
  "pth_verify_cross_distro",
]);

/** Fuzzing and exporting do their work, on a busy machine, too; what they would wait for takes 100 s. */
const limitMs = 30_000;

async function beside(t: Test, name: string, input: Record<string, unknown>): Promise<void> {
  const stop = new AbortController();
  let ended = false;
  const answer = call(name, input, { signal: stop.signal }).catch(() => undefined).finally(() =>
    ended = true
  );
  await new Promise((resolve) => setTimeout(resolve, 400));
  for (const { name: other } of usualTools.filter(({ name }) => !apart.has(name))) {
    const began = performance.now();
    const { text } = await call(other, inputs[other] ?? {});
    const took = performance.now() - began;
    t.ok(took < limitMs, `${other} is answered (${Math.round(took)} ms): ${text}`);
    // What nothing was measured or recorded for is no matter of others.
    const busy = /\[NOT_NOW\]/.test(text) && !/measured|recorded/.test(text);
    if (busy) t.match(text, new RegExp(`Under way: ${name}, for \\d+ s`), other);
  }
  t.notOk(ended, `${name} still runs`);
  stop.abort();
  await answer;
}

const { sandbox } = await readiness();
t.test("two calls at once", { skip: sandbox }, async (t) => {
  await begin(t, slowPlugin, "sandbox");
  await succeed(t, "pth_load_plugin", load);
  await succeed(t, "pth_create_test", { yaml: "name: hello\ntool: hello\n" });
  await succeed(t, "pth_create_test", { yaml: "name: waits\ntool: waits\ntimeout_seconds: 100\n" });
  const idle = async () => !(await call("pth_call_plugin_tool", { tool: "hello" })).isError;
  const long: [string, string, Record<string, unknown>][] = [
    ["a suite", "pth_run_test_suite", { tool: "waits" }],
    ["the loop", "pth_run_iteration_loop", { fixer: "true" }],
    ["a command", "pth_exec_in_environment", { command: sleeping }],
    ["a load", "pth_load_plugin", { ...load, build: sleeping }],
  ];
  for (const [what, name, input] of long) {
    await t.test(`beside ${what}`, async (t) => {
      await beside(t, name, input);
      if (name !== "pth_load_plugin") t.ok(await eventually(idle, 20_000));
    });
  }
});

t.test("the session ends beside calls that take long", { skip: sandbox }, async (t) => {
  await succeed(t, "pth_load_plugin", load);
  const { data } = await succeed(t, "pth_inspect_environment");
  const sessionId = (data["environment"] as { environmentId: string }).environmentId.split("-")[0]!;
  const calls = [
    call("pth_exec_in_environment", { command: sleeping }),
    call("pth_run_test", { id: "waits" }),
  ];
  await new Promise((resolve) => setTimeout(resolve, 400));
  const began = performance.now();
  t.same((await succeed(t, "pth_end_session")).data["leftBehind"], []);
  t.ok(performance.now() - began < 20_000);
  for (const { isError, text } of await Promise.all(calls)) {
    t.ok(isError || /cancelled|skipped/.test(text), text);
  }
  t.notOk(await isBusy(sessionId));
});
