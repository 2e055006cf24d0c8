// test: own-process (the log is set up once in a process, and here it is set up otherwise)
import process from "node:process";
import t from "tap";
import type { EnvironmentHandle } from "../../../machines/model/environment.ts";
import { PthError } from "../../../src/core/errors.ts";
import type { EnvironmentRuntime } from "../../../src/runtimes/runtime.ts";

const handle: EnvironmentHandle = {
  environmentId: "a1-e1",
  sessionId: "a1",
  runtime: "fake",
  tier: 1,
  image: "debian12",
  sourcePath: "/src",
  state: { containerId: "not for the log" },
};
const fake = {
  name: "fake",
  exec: () => Promise.resolve({ code: 3, signal: null, stdout: "much", stderr: "" }),
  snapshot: () => Promise.reject(new PthError("SNAPSHOT_FAILED", "Cannot save snapshot: no room")),
  destroy: () => Promise.resolve(),
} as unknown as EnvironmentRuntime;

/** The log is set up at its first use: the variables must be there before, stderr is what it writes to. */
process.env.PTH_DEBUG = "debug";
delete process.env.PTH_LOG_FILE;
const lines: Record<string, unknown>[] = [];
const write = process.stderr.write;
process.stderr.write = ((text: string) => lines.push(JSON.parse(text)) > 0) as typeof write;
t.teardown(() => process.stderr.write = write);
const { loggedRuntime } = await import("../../../src/runtimes/logged_runtime.ts");

t.test("commands are logged with exit code and the names of their variables", async (t) => {
  const runtime = loggedRuntime(fake);
  t.equal(runtime.name, "fake");
  const result = await runtime.exec(handle, ["sh", "-c", "npm run build"], { env: { TOKEN: "hunter22" } });
  t.equal(result.stdout, "much", "the answer passes through");
  t.match(lines.at(-1), {
    level: "debug",
    message: "fake exec",
    environmentId: "a1-e1",
    command: ["sh", "-c", "npm run build"],
    variables: ["TOKEN"],
    code: 3,
    ms: Number,
  });
  t.notMatch(JSON.stringify(lines), /hunter22|not for the log|much/);
});

t.test("failures are logged and thrown on", async (t) => {
  await t.rejects(loggedRuntime(fake).snapshot(handle, "before"), { code: "SNAPSHOT_FAILED" });
  t.match(lines.at(-1), { message: "fake snapshot", args: ["before"], error: /no room/ });
  await loggedRuntime(fake).destroy(handle);
  t.match(lines.at(-1), { message: "fake destroy", environmentId: "a1-e1" });
});
