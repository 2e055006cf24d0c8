/** What PTH adds to a command in an environment, beside the bare call of the engine's API. */
import Docker from "dockerode";
import type { EnvironmentHandle, EnvironmentSpec } from "../../machines/model/environment.ts";
import { registry } from "../../src/runtimes/_registry.ts";
import { type Row, time } from "./table.ts";

const rounds = 31;

/** Runtimes that stand on the engine. */
const onEngine = ["docker", "systemd"];

export async function measureExec(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const definition of registry.filter(({ name }) => onEngine.includes(name))) {
    const readiness = await definition.probe();
    if (!readiness.ready) {
      console.error(`  without ${definition.name}: ${readiness.reason}`);
      continue;
    }
    const runtime = definition.create();
    const handle = await runtime.provision(specFor(definition.name));
    try {
      const own = await time(rounds, () => runtime.exec(handle, ["true"]));
      const bare = await time(rounds, () => bareExec(handle));
      rows.push(
        {
          what: `${definition.name}: exec`,
          value: own,
          unit: "ms",
          plain: { tool: "bare API", value: bare },
        },
        { what: `${definition.name}: PTH's own part`, value: own - bare, unit: "ms", target: "< 10 ms" },
      );
    } finally {
      await runtime.destroy(handle);
    }
  }
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
