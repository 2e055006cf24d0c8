import t from "tap";
import { PthError } from "../../../src/errors.ts";
import { registry } from "../../../src/tools/_registry.ts";
import { connect, textOf } from "./connected_client.ts";

const dormant = ["pth_preflight", "pth_resume_session", "pth_start_session"];

t.test("without a session exactly three tools are listed, and no harness is made", async (t) => {
  const server = await connect();
  t.strictSame(await server.names(), dormant);
  t.equal(server.created(), 0);
  t.equal(await server.hangUp(), 0);
});

t.test("every session tool called without a session says so and what to do", async (t) => {
  const server = await connect();
  for (const { name, definition } of registry) {
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
  t.strictSame(await server.names(), registry.map(({ name }) => name).sort());
  t.match(textOf(await server.call("pth_list_tests")), /NO_SESSION/);
  await server.hangUp();
});

t.test("resuming says that it is not available, and what to do instead", async (t) => {
  const server = await connect();
  const result = await server.call("pth_resume_session", { branch: "pth/sample-2026-01-01-a1b2c3" });
  t.equal(result.isError, true);
  t.match(textOf(result), /Resuming sessions is not available in this version[^]*pth_start_session/);
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
    "✓ plugin: found /plugins/sample\n✗ docker: engine is down\n    → scripts/setup-host.sh\n1 check failed",
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
