/** Commands in an environment: by its agent and by the other way, beside the bare call of the engine's API or `nsenter`. */
import Docker from "dockerode";
import type { EnvironmentHandle, EnvironmentSpec } from "../../machines/model/environment.ts";
import { runCommand } from "../../src/platform/process.ts";
import { registry } from "../../src/runtimes/_registry.ts";
import { dockerState } from "../../src/runtimes/docker/container.ts";
import { agentKey, sandboxOf } from "../../src/runtimes/sandbox/sandbox_state.ts";
import { endAgent } from "../../src/runtimes/shared/agent/command_agents.ts";
import { type Row, time } from "./table.ts";

const rounds = 31;
/** Number of commands that the tests of a suite run one after the other, say, with a `verify` each. */
const many = 100;

/** The plain way into each runtime's environments, and the key of its agent. */
const plainWays: Record<string, Plain> = {
  docker: { tool: "bare API", run: bareExec, key: (handle) => dockerState(handle).containerId },
  systemd: { tool: "bare API", run: bareExec },
  sandbox: { tool: "nsenter", run: enter, key: agentKey },
};

interface Plain {
  tool: string;
  run(handle: EnvironmentHandle): Promise<void>;
  /** Absent where commands have no agent. */
  key?(handle: EnvironmentHandle): string;
}

export async function measureExec(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const definition of registry.filter(({ name }) => name in plainWays)) {
    const readiness = await definition.probe();
    if (!readiness.ready) {
      console.error(`  without ${definition.name}: ${readiness.reason}`);
      continue;
    }
    const runtime = definition.create();
    const handle = await runtime.provision(specFor(definition.name));
    try {
      rows.push(...await rowsOf(definition.name, handle, () => runtime.exec(handle, ["true"])));
    } finally {
      await runtime.destroy(handle);
    }
  }
  return rows;
}

async function rowsOf(name: string, handle: EnvironmentHandle, exec: () => Promise<unknown>): Promise<Row[]> {
  const { tool, run, key } = plainWays[name]!;
  const rows: Row[] = [];
  const repeat = (work: () => Promise<unknown>) => async () => {
    for (let count = 0; count < many; count++) await work();
  };
  const bare = await time(rounds, () => run(handle));
  if (key !== undefined) {
    rows.push({
      what: `${name}: command by the agent`,
      value: await time(rounds, exec),
      unit: "ms",
      plain: { tool, value: bare },
      target: "< 5 ms",
    }, {
      what: `${name}: ${many} of them, one after the other`,
      value: await time(1, repeat(exec)),
      unit: "ms",
      plain: { tool, value: await time(1, repeat(() => run(handle))) },
    });
    await endAgent(key(handle));
  }
  const own = await time(rounds, exec);
  rows.push(
    { what: `${name}: command by the other way`, value: own, unit: "ms", plain: { tool, value: bare } },
    { what: `${name}: PTH's own part of it`, value: own - bare, unit: "ms", target: "< 10 ms" },
  );
  return rows;
}

const specFor = (name: string): EnvironmentSpec => ({
  environmentId: `bench-exec-${name}`,
  sessionId: "bench",
  tier: 1,
  env: {},
  resources: {},
});

const engine = new Docker();

/** The same through the engine's API alone: output to its end, and the exit code. */
async function bareExec(handle: EnvironmentHandle): Promise<void> {
  const exec = await engine.getContainer(`pth-${handle.environmentId}`).exec({
    Cmd: ["true"],
    AttachStdout: true,
    AttachStderr: true,
  });
  const stream = await exec.start({});
  stream.resume();
  await new Promise((resolve) => stream.once("close", resolve).once("end", resolve));
  const { ExitCode } = await exec.inspect();
  if (ExitCode !== 0) throw new Error(`the bare command ended with ${ExitCode}`);
}

/** The namespaces alone, without limits, filter and fewer rights. */
async function enter(handle: EnvironmentHandle): Promise<void> {
  const { life, method } = sandboxOf(handle);
  const user = method.userNamespace ? ["--user", "--preserve-credentials"] : [];
  const words = ["nsenter", "--target", String(life.init.pid), "--mount", "--pid", "--uts", "--ipc", ...user];
  const { code, stderr } = await runCommand([...words, "--", "true"]);
  if (code !== 0) throw new Error(`nsenter ended with ${code}: ${stderr}`);
}
