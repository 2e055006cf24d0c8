// test: timeout=240
/** A container engine that stops under a session, and comes back. */
import { join } from "node:path";
import t from "tap";
import { makeRepository } from "../../src/session/helpers.ts";
import { breakingPlugin } from "../mcp/recovery_plugin.ts";
import { openSessionClient } from "../../support/session_client.ts";
import { importHostPrograms, makeOwnEngine, whyNoOwnEngine } from "./own_engine.ts";

t.setTimeout(230_000);
const skip = await whyNoOwnEngine();
const baseImage = "pth-test-programs:1";

t.test("an engine stops in the middle of a session", { skip: skip ?? false, timeout: 220_000 }, async (t) => {
  const engine = await makeOwnEngine();
  t.teardown(() => engine.remove());
  const { folder, call, succeed } = await openSessionClient(t, { DOCKER_HOST: engine.address });
  const pluginPath = join(folder, "plugin");
  const { "package.json": _built, ...files } = breakingPlugin();
  await makeRepository(pluginPath, files);
  await succeed(t, "pth_start_session", { pluginPath, command: ["sh", "-c", "exec node server.mjs"] });

  await t.test("before it has ever answered, that is told at once", async (t) => {
    const { text, data } = await call("pth_provision_environment", { runtime: "docker" });
    t.match(text, /\[RUNTIME_UNAVAILABLE\]/);
    t.match(text, /Output:\n.*ENOENT/);
    t.match(text, /Last known state of the engine: it has not answered this process yet/);
    t.notMatch(data, { error: { attempts: 3 } }, "what is not there does not come by waiting");
  });

  await engine.start();
  await importHostPrograms(engine, baseImage);
  await succeed(t, "pth_provision_environment", { runtime: "docker", baseImage });
  await succeed(t, "pth_load_plugin");
  await succeed(t, "pth_call_plugin_tool", { tool: "hello" });

  await t.test("an engine that hangs is told as one that does not answer", async (t) => {
    await new Promise((resolve) => setTimeout(resolve, 1100));
    engine.freeze();
    const { text } = await call("pth_exec_in_environment", { command: ["true"] });
    t.match(text, /no engine answers at unix:.*\(none within 2 s\) \[RUNTIME_UNAVAILABLE\]/);
    engine.thaw();
    await succeed(t, "pth_exec_in_environment", { command: ["true"] });
  });

  await engine.stop();

  await t.test("whoever asks is told after some attempts, with when it was last seen", async (t) => {
    const { text, data } = await call("pth_exec_in_environment", { command: ["true"] });
    t.match(text, /no engine answers at unix:.*\[RUNTIME_UNAVAILABLE\]/);
    t.match(text, /Last known state of the engine: answered at 20.*, version \d/);
    t.match(text, /Tried:\n- 3 times/);
    t.match(
      text,
      /Next:[^]*systemctl status docker[^]*pth_reprovision_environment\(\{ runtime: "sandbox" \}\)/,
    );
    t.match(data, { error: { code: "RUNTIME_UNAVAILABLE", attempts: 3 } });
    t.match((await call("pth_call_plugin_tool", { tool: "hello" })).text, /\[RUNTIME_UNAVAILABLE\]/);
  });

  await t.test("an environment that cannot be destroyed is not answered as destroyed", async (t) => {
    t.match((await call("pth_destroy_environment")).text, /\[RUNTIME_UNAVAILABLE\]/);
    t.match((await call("pth_load_plugin")).text, /\[RUNTIME_UNAVAILABLE\]/, "it is still the session's");
  });

  await t.test("the session goes on in another runtime", async (t) => {
    await succeed(t, "pth_reprovision_environment", { runtime: "sandbox" });
    await succeed(t, "pth_load_plugin");
    t.match((await succeed(t, "pth_call_plugin_tool", { tool: "hello" })).text, /hello/);
    const edits = [{ path: "README.md", content: "breaks\n" }];
    await succeed(t, "pth_apply_fix", { category: "wrong-output", title: "say more", edits });
  });

  await t.test("an engine that comes back while PTH tries again is used", async (t) => {
    const provisioning = call("pth_reprovision_environment", { runtime: "docker", baseImage, retries: 10 });
    await engine.start();
    const { text, isError } = await provisioning;
    t.notOk(isError, text);
    t.match((await succeed(t, "pth_call_plugin_tool", { tool: "hello" })).text, /hello/);
  });

  await t.test("the end removes what could not be removed before", async (t) => {
    const { text } = await succeed(t, "pth_end_session");
    t.match(text, /Branch pth\/\S+: \d+ commits?, kept/);
    t.notMatch(text, /Could not be removed/);
    t.equal(await engine.docker("ps", "--all", "--quiet"), "");
  });
});
