// test: timeout=120
/** `pth hook fire`: hooks with faults are diagnosed, correct ones pass, and requests go out from the environment. */
import { createServer } from "node:http";
import { join } from "node:path";
import t from "tap";
import type { HookReport } from "../../../src/hooks/fire_hooks.ts";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { openCliTurns } from "../../support/cli_turns.ts";
import { copyFixture } from "../../support/fixture_plugin.ts";
import { makePlace } from "../../support/pth_run.ts";

const turns = openCliTurns();
t.teardown(() => turns.close());

async function fire(env: Record<string, string>, ...args: string[]) {
  const { code, stdout, stderr } = await turns.run(["hook", "fire", ...args, "--env", "host", "--json"], {
    env,
  });
  const { firings } = JSON.parse(stdout || "{}") as { firings?: HookReport[] };
  return { code, stderr, report: firings?.[0], faults: (firings?.[0]?.hooks ?? []).map(faultsOf) };
}

const faultsOf = ({ diagnoses }: HookReport["hooks"][number]) =>
  diagnoses.flatMap(({ fault, message }) => fault ? [message] : []);

t.test("each planted fault of a hook is told with its way out", async (t) => {
  const place = await makePlace(t);
  const { code, faults, report } = await fire(
    place.env,
    await copyFixture("faulty_hooks", place.folder),
    "PreToolUse",
  );
  t.equal(code, 1);
  t.match(faults, [
    [/Permission denied.*Set its run bit/],
    [/not found.*Correct the path/],
    [/looks like JSON, and is not/],
    [/decision is "approve" or "block"/],
    [/did not end within 0.3 s/],
    [/never fits.*not a permission rule/],
    [/blocks without a reason/],
    [/is for Stop, and the event is PreToolUse/],
    [/could not be run: curl/],
  ]);
  t.match(report, { decision: "deny", reasons: ["No stderr output"] });
});

t.test("a correct hook has no fault; it works in a copy of the project, with Claude Code's variables", async (t) => {
  const place = await makePlace(t);
  const project = join(place.folder, "project");
  await mkdir(project);
  await writeTextFile(join(project, "kept.txt"), "x");
  const plugin = await copyFixture("guarded_plugin", place.folder);
  const { code, report, faults } = await fire(place.env, plugin, "PreToolUse", "--project", project);
  t.equal(code, 0);
  t.same(faults.flat(), []);
  t.match(report, {
    decision: "none",
    payload: { cwd: /project$/, tool_name: "Bash" },
    hooks: [{ outcome: "success", exitCode: 0 }, { skipped: /does not fit Bash/ }],
    changes: [{ path: "commands.log", change: "added" }],
  });
});

t.test("a request brings the payload and its headers, and its answer decides", async (t) => {
  const heard: { body: string; token: string | undefined }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    heard.push({ body, token: request.headers["x-token"] as string | undefined });
    response.end('{"decision":"block","reason":"not today"}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  const place = await makePlace(t);
  const plugin = join(place.folder, "plugin");
  await mkdir(join(plugin, "hooks"), { recursive: true });
  const hook = {
    type: "http",
    url: `http://127.0.0.1:${port}/`,
    headers: { "X-Token": "t $TOKEN" },
    allowedEnvVars: ["TOKEN"],
  };
  await writeTextFile(
    join(plugin, "hooks/hooks.json"),
    JSON.stringify({ hooks: { Stop: [{ hooks: [hook] }] } }),
  );
  const { report } = await fire(place.env, plugin, "Stop", "--var", "TOKEN=abc");
  t.match(report, {
    decision: "block",
    reasons: ["not today"],
    hooks: [{ status: 200, outcome: "blocked" }],
  });
  t.match(JSON.parse(heard[0]!.body), { hook_event_name: "Stop" });
  t.equal(heard[0]!.token, "t abc");
});

t.test("tests of hooks pass and fail with their reasons, each in a project of its own", async (t) => {
  const place = await makePlace(t);
  const plugin = await copyFixture("guarded_plugin", place.folder);
  const test = (...args: string[]) =>
    turns.run(["hook", "test", plugin, "--env", "host", ...args], { env: place.env });
  const all = await test();
  t.equal(all.code, 0, all.stderr);
  t.match(all.stdout, "8 tests: 8 passed, 0 failed");
  await writeTextFile(
    join(plugin, "tests/guard.hooks.yaml"),
    `tests:
  - name: lets all pass
    event: PreToolUse
    input: { command: "rm -rf /" }
    expect: { decision: none }
  - { name: later, event: Stop, skip: not yet, expect: { decision: none } }
`,
  );
  const { code, stdout } = await test("--json");
  t.equal(code, 1);
  t.match(JSON.parse(stdout), {
    passed: false,
    tests: [
      {
        name: "lets all pass",
        status: "failed",
        line: 2,
        messages: ['decision: expected "none", got "deny"'],
      },
      { name: "later", status: "skipped", messages: ["not yet"] },
    ],
  });
  t.equal((await test("--grep", "none such")).code, 2);
});
