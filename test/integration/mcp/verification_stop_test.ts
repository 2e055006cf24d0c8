// test: timeout=180
/** A verification on another distribution that is cancelled, or whose session ends, while it works. */
import { environmentsIn } from "../../support/pth_run.ts";
import { join } from "node:path";
import t from "tap";
import sandbox from "../../../src/runtimes/sandbox.ts";
import { listFolder } from "../../../src/platform/files.ts";
import { taggedPids } from "../../../src/platform/proc.ts";
import { eventually } from "../../contracts/runtime/context.ts";
import { breakingPlugin } from "./recovery_plugin.ts";
import { openSessionClient } from "../../support/session_client.ts";

t.setTimeout(170_000);
const { folder, home, call, succeed, begin } = await openSessionClient(t);

const testOf = (tool: string) => `name: calls ${tool}\ntool: ${tool}\nexpect: { success: true }\n`;

/** Starts one that takes long, and resolves once the slow test runs on the other distribution. */
async function verifying(image: string, signal?: AbortSignal) {
  let seen = "";
  const answer = call("pth_verify_cross_distro", { images: [image] }, {
    onprogress: ({ message = "" }) => seen += `${message}\n`,
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => ({ text: String(error) }));
  const under = await eventually(() => Promise.resolve(/running 2 tests/.test(seen)), 60_000);
  return { under, answer, seen: () => seen };
}

const { ready, reason } = await sandbox.probe();

t.test("a verification that is stopped while it works", ready ? {} : { skip: reason }, async (t) => {
  if (!await begin(t, breakingPlugin(), "host")) return;
  const { environment } = (await succeed(t, "pth_inspect_environment")).data;
  const sessionId = (environment as { environmentId: string }).environmentId.split("-")[0]!;
  await succeed(t, "pth_create_test", { yaml: testOf("hello") });
  await succeed(t, "pth_run_test_suite");
  await succeed(t, "pth_create_test", { yaml: testOf("waits") });

  await t.test("meanwhile nothing else changes what it works on; cancelled, it leaves the session usable", async (t) => {
    const stop = new AbortController();
    const { under, answer, seen } = await verifying("sandbox", stop.signal);
    t.ok(under, seen());
    for (const tool of ["pth_reprovision_environment", "pth_run_test_suite", "pth_run_iteration"]) {
      const { text } = await call(tool);
      t.match(text, /distributions are being verified/, tool);
      t.match(text, /\[NOT_NOW\]/);
    }
    stop.abort();
    await answer;
    t.ok(
      await eventually(async () => !(await call("pth_call_plugin_tool", { tool: "hello" })).isError, 30_000),
      "the plugin answers in the distribution where it was stopped",
    );
    t.match((await call("pth_verify_cross_distro", { skip: true })).text, /none awaits fixes/);
    t.match((await succeed(t, "pth_inspect_environment")).text, /sandbox/);
  });

  await t.test("the session's end ends it, and nothing of it stays", async (t) => {
    const { under, answer, seen } = await verifying("host");
    t.ok(under, seen());
    t.not((await taggedPids("PTH_SESSION", sessionId)).length, 0);
    const { text } = await succeed(t, "pth_end_session");
    t.notMatch(text, /Could not be removed/);
    t.match((await answer).text, /INTERRUPTED|cancelled/);
    t.same(await taggedPids("PTH_SESSION", sessionId), []);
    t.same((await listFolder(join(folder, "worktrees"))).map(({ name }) => name), []);
    t.same(await environmentsIn(home, "boxes"), []);
  });
});
