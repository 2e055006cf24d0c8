/** Servers that stop themselves, and what is around them: nothing of a box outlives its end. */
import { join } from "node:path";
import t from "tap";
import { mkdir, writeTextFile } from "../../../src/platform/files.ts";
import { createSandbox } from "../../../src/runtimes/sandbox.ts";
import { taggedPids } from "../../../src/platform/proc.ts";
import { followProcess } from "../../../src/client/server_process.ts";
import { endInstance } from "../../../src/actors/connection/end_instance.ts";
import type { LiveEnvironment } from "../../../src/actors/stores/environment_holder.ts";
import { temporaryWorld } from "../../src/session/helpers.ts";
import { readiness } from "../../support/readiness.ts";

const { sandbox: skip } = await readiness();
t.jobs = 2;

const stops: Record<string, string> = {
  "itself": "kill -STOP $$",
  "its group": "kill -STOP 0",
  "all processes": "kill -STOP -1; kill -STOP $$",
  "whatever comes": `while :; do for p in /proc/[0-9]*; do p=\${p#/proc/}
    [ $p = $$ ] || [ $p = 1 ] || kill -STOP $p 2>/dev/null; done; done`,
};

for (const [whom, script] of Object.entries(stops)) {
  t.test(`a server that stops ${whom} does not keep its box`, { skip }, async (t) => {
    const { folder } = await temporaryWorld(t);
    await mkdir(join(folder, "plugin"));
    await writeTextFile(join(folder, "plugin/server.sh"), `echo begun; sleep 0.2; ${script}; sleep 60`);
    const runtime = createSandbox();
    const spec = {
      environmentId: `stop-${crypto.randomUUID().slice(0, 8)}`,
      sessionId: "stop",
      tier: 1 as const,
      resources: { memoryMB: 256 },
      env: {},
    };
    const handle = await runtime.provision(spec);
    await runtime.mountSource(handle, join(folder, "plugin"), handle.sourcePath);
    const process = await runtime.spawn(handle, ["sh", "server.sh"]);
    await new Promise((resolve) => process.stdout.once("data", resolve));
    await new Promise((resolve) => setTimeout(resolve, 500));
    const started = performance.now();
    const { how } = await followProcess(process, true).end(200, "eof");
    t.match(how, whom === "whatever comes" ? /sig(term|kill)/ : "sigkill");
    if (whom === "whatever comes") {
      const environment = { runtime, info: { handle } } as LiveEnvironment;
      await t.resolves(
        endInstance(environment, "stop/1")({ judged: true }),
        "its group is gone, and what looks is not stopped",
      );
    }
    await runtime.destroy(handle);
    t.ok(performance.now() - started < 12_000, `${Math.round(performance.now() - started)} ms`);
    t.same(await taggedPids("PTH_ENVIRONMENT", spec.environmentId), []);
  });
}
