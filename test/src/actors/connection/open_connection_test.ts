import t from "tap";
import type { ServerTransport } from "../../../../machines/model/plugin.ts";
import { openInstance } from "../../../../src/actors/connection/open_connection.ts";
import { PthError } from "../../../../src/core/errors.ts";
import { spawnProcess } from "../../../../src/platform/process.ts";
import type { EnvironmentProcess, EnvironmentRuntime } from "../../../../src/runtimes/runtime.ts";
import { giveEnvironment, liveSession } from "../live.ts";

const abilities = { sharesNetwork: false } as EnvironmentRuntime["abilities"];
const nothingLeft = { code: 0, signal: null, stdout: "", stderr: "", truncated: false, durationMs: 1 };

/** A session with a plugin whose server is started for HTTP; tells which processes were started. */
function httpPlugin(url: string, forwardPort: EnvironmentRuntime["forwardPort"]) {
  const { live } = liveSession();
  const started: EnvironmentProcess[] = [];
  giveEnvironment(live, {
    abilities,
    forwardPort,
    exec: () => Promise.resolve(nothingLeft),
    async spawn() {
      const child = await spawnProcess(["sleep", "60"]);
      started.push({ ...child, kill: (signal) => Promise.resolve(child.kill(signal)) });
      return started.at(-1)!;
    },
  });
  const server: ServerTransport = { type: "http", command: ["serve"], env: {}, cwd: "/", url };
  live.plugin.plan = { name: "p", source: "/p", folder: "/p", server };
  const open = () => openInstance(live, { connectionId: "c1", instance: 0 }, new AbortController().signal);
  return { live, started, open };
}

t.test("no server is started for a port that cannot be reached", async (t) => {
  const taken = () => Promise.reject(new PthError("PORT_TAKEN", "Cannot forward port: it is held"));
  const { live, started, open } = httpPlugin("http://127.0.0.1:{port}/mcp", taken);
  await t.rejects(open(), { code: "PORT_TAKEN" });
  t.equal(started.length, 0);
  t.equal(live.connections.open.size, 0);
});

t.test("a server whose address cannot be read is ended", async (t) => {
  const { started, open } = httpPlugin("ftp://127.0.0.1:{port}/mcp", () => Promise.resolve(4711));
  await t.rejects(open(), { code: "INVALID_INPUT" });
  t.equal(started.length, 1);
  t.equal((await started[0]!.exited).signal, "SIGTERM");
});
