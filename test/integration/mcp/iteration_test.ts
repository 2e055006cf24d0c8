// test: timeout=240
/** The loop over MCP: a real client that makes the fixes itself, and one that names a command for it. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import t from "tap";
import { fixer } from "../../support/iterate_place.ts";
import { openSessionClient, type SessionClient } from "../../support/session_client.ts";
import type { Test } from "tap";

t.setTimeout(240_000);

const read = (file: string) =>
  readFile(fileURLToPath(new URL(`../../fixtures/switched_plugin/${file}`, import.meta.url)), "utf8");
const names = ["server.mjs", "package.json", "README.md", "switches.json", ".pth/tests/tools.yaml"];
const files = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await read(name)])));

const client = await openSessionClient(t);

async function begin(t: Test, changed: Record<string, string> = {}): Promise<SessionClient> {
  await client.begin(t, { ...files, ...changed }, "host");
  return client;
}

const causes = (data: Record<string, unknown>) =>
  (data.diagnosis as { groups: { category: string; place?: { path: string } }[] }).groups;

t.test("the client is told the root causes, gives fixes, and hears what came of them", async (t) => {
  const { succeed, call } = await begin(t);
  const before = await succeed(t, "pth_get_iteration_status");
  t.match(before.text, "Next: pth_run_iteration({})");

  const asked = await succeed(t, "pth_run_iteration", { generate: false });
  t.match(asked.text, /wrong-output[^]*1 test: red says red/);
  t.match(asked.text, "Next: pth_run_iteration({ fixes:");
  t.equal(asked.data.state, "awaiting_fixes");
  t.match(causes(asked.data), [{ category: "wrong-output" }]);
  t.match((await succeed(t, "pth_get_iteration_status")).text, "Now: iteration 1: awaiting fixes");

  const wrong = { title: "red", edits: [{ path: "switches.json", find: "no such text", replace: "" }] };
  const refused = await succeed(t, "pth_run_iteration", { fixes: [wrong] });
  t.match(refused.text, /Phase: No Fix\nAbout: red\nReason: .*occurs 0 times/);
  t.equal(refused.data.state, "stopped");

  const worse = { title: "swap", edits: [{ path: "switches.json", content: '{ "wrong": ["blue"] }\n' }] };
  const swapped = await succeed(t, "pth_run_iteration", { fixes: [worse] });
  t.match(swapped.text, "Broken: blue says blue");
  t.match(swapped.text, "Status: Regressing");

  const right = {
    tests: ["blue says blue"],
    category: "wrong-output",
    title: "say the names",
    edits: [{ path: "switches.json", find: '"blue"', replace: "" }],
  };
  const green = await succeed(t, "pth_run_iteration", { fixes: [right] });
  t.equal(green.data.state, "green");
  t.match(green.text, "Phase: Fix Applied\nFile: switches.json\nChange: say the names\nRisk: Low");
  t.match(green.text, "Status: All tests pass");

  const status = await succeed(t, "pth_get_iteration_status");
  t.match(status.text, "- iteration 2: 3 → 3 of 4 pass; 1 fix; broke blue says blue");
  t.equal((status.data.records as unknown[]).length, 3);
  const history = await call("pth_get_fix_history", { iteration: 3 });
  t.match(history.text, "say the names");
  await succeed(t, "pth_end_session");
});

t.test("the loop: two ways are told without a fixer; with one it goes on until green", async (t) => {
  const { succeed, call } = await begin(t);
  const alone = await call("pth_run_iteration_loop");
  t.ok(alone.isError);
  t.match(alone.text, "[INVALID_INPUT]");
  t.match(alone.text, "pth_run_iteration({ fixes })");
  const looped = await succeed(t, "pth_run_iteration_loop", {
    fixer: fixer("switch_off.mjs", "good"),
    scope: "failing",
  });
  t.equal(looped.data.state, "green");
  t.match(looped.text, "Next: every test passes");
  await succeed(t, "pth_end_session");
});

t.test("a fixer that moves in circles is found out", async (t) => {
  const { succeed } = await begin(t);
  const command = fixer("switch_off.mjs", "fickle");
  const looped = await succeed(t, "pth_run_iteration_loop", {
    fixer: command,
    patience: 2,
    maxIterations: 6,
  });
  t.match(looped.data, { state: "stopped", reason: "no_progress", convergence: { trend: "oscillating" } });
  t.match(looped.text, "Next: stopped, no progress.");
  t.match(looped.text, "pth_revert_fix");
  await succeed(t, "pth_end_session");
});
