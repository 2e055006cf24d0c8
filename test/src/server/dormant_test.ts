import t from "tap";
import { PthError } from "../../../src/core/errors.ts";
import { usualTools } from "../../support/usual_tools.ts";
import { connect, textOf } from "./connected_client.ts";
import { session } from "./scripted_harness.ts";

const dormant = ["pth_preflight", "pth_resume_session", "pth_start_session"];

t.test("without a session exactly three tools are listed, and no harness is made", async (t) => {
  const server = await connect();
  t.strictSame(await server.names(), dormant);
  t.equal(server.created(), 0);
  t.equal(await server.hangUp(), 0);
});

t.test("every session tool called without a session says so and what to do", async (t) => {
  const server = await connect();
  for (const { name, definition } of usualTools) {
    if (definition.dormant) continue;
    const result = await server.call(name);
    t.equal(result.isError, true, name);
    t.match(textOf(result), /no session is active \[NO_SESSION\][^]*pth_start_session/);
  }
  t.equal(server.created(), 0);
  await server.hangUp();
});

t.test("static mode lists everything from the start and still needs a session", async (t) => {
  const server = await connect({}, { tools: "static" });
  t.strictSame(await server.names(), usualTools.map(({ name }) => name).sort());
  t.match(textOf(await server.call("pth_list_tests")), /NO_SESSION/);
  await server.hangUp();
});

t.test("resuming needs a branch, and says where the session stands", async (t) => {
  const asked: unknown[] = [];
  const server = await connect({
    resumeSession: (request, options) => {
      asked.push(request, options?.force);
      return Promise.resolve({
        session,
        iteration: 8,
        savedAt: "2026-01-01T00:00:00.000Z",
        trend: "improving",
        standing: {
          total: 42,
          passed: 39,
          skipped: 0,
          failing: [{ id: "f-1", name: "lists rules", category: "timeout", cause: "it never answers" }],
        },
        commits: { fixes: 17, reverts: 1, others: 0 },
        tests: 42,
        degraded: ["Not kept: a file."],
        next: ["pth_provision_environment({})", "pth_load_plugin({})"],
      });
    },
  });
  const result = await server.call("pth_resume_session", { branch: "pth/sample-2026-01-01-a1b2c3" });
  t.strictSame(asked, [{ branch: "pth/sample-2026-01-01-a1b2c3" }, false]);
  const text = textOf(result);
  t.match(
    text,
    "39 of 42 tests passed, 1 failed, trend: improving\n- lists rules [timeout]: it never answers\n",
  );
  t.match(text, "On the branch: 17 fixes, 1 revert, 0 other commits\n");
  t.match(text, "Next: pth_provision_environment({}); then pth_load_plugin({})");
  t.match(textOf(await server.call("pth_resume_session")), /branch/);
  await server.hangUp();
});

t.test("preflight answers each check with what to do", async (t) => {
  const server = await connect({
    preflight: (target) =>
      Promise.resolve([
        { name: "plugin", status: "ok", message: `found ${target}` },
        { name: "docker", status: "failed", message: "engine is down", next: ["scripts/setup-host.sh"] },
      ]),
  });
  const result = await server.call("pth_preflight", { pluginPath: "/plugins/sample" });
  t.notOk(result.isError);
  t.equal(
    textOf(result),
    "Not ready: 1 check failed\n✗ docker: engine is down\n    → scripts/setup-host.sh\n✓ plugin: found /plugins/sample",
  );
  t.match(result.structuredContent, { ready: false });
  await server.hangUp();
});

t.test("an unknown tool is a protocol error that names it", async (t) => {
  const server = await connect();
  await t.rejects(server.call("pth_nonsense"), { code: -32602, message: /Unknown tool: pth_nonsense/ });
  await server.hangUp();
});

t.test("a harness that cannot be made fails that call, and the next call tries again", async (t) => {
  const failures = [new PthError("INVALID_INPUT", "Cannot record: /nowhere/x is not writable")];
  const server = await connect({
    create: () => failures.length > 0 ? Promise.reject(failures.pop()) : Promise.resolve(),
    preflight: () => Promise.resolve([]),
  });
  const first = await server.call("pth_preflight");
  t.equal(first.isError, true);
  t.equal(textOf(first), "Cannot record: /nowhere/x is not writable [INVALID_INPUT]");
  t.match(textOf(await server.call("pth_preflight")), "Ready");
  t.equal(server.created(), 2);
  await server.hangUp();
});

t.test("only chosen toolsets are listed, and a call of another tool says which option brings it", async (t) => {
  const server = await connect({}, { toolsets: new Set(["core", "performance"]) });
  t.strictSame(await server.names(), dormant);
  await server.call("pth_start_session", { pluginPath: "/p" });
  const names = await server.names();
  t.ok(names.includes("pth_run_iteration") && names.includes("pth_run_performance_suite"));
  t.notOk(names.includes("pth_fuzz_tools"));
  const refused = await server.call("pth_fuzz_tools");
  t.equal(refused.isError, true);
  t.match(
    textOf(refused),
    /in the toolset testing[^]*\[UNSUPPORTED\][^]*PTH_TOOLSET=testing/,
  );
  await server.hangUp();
});
