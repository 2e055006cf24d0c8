/** Environments: making one and running a command in it, beside the engine's own client and bubblewrap. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { registry } from "../../src/runtimes/_registry.ts";
import type { EnvironmentSpec } from "../../machines/model/environment.ts";
import { type Row, time } from "./table.ts";

const run = promisify(execFile);
const rounds = 9;

export async function measureRuntimes(): Promise<Row[]> {
  const rows: Row[] = [];
  // The others have parts of their own.
  for (const definition of registry.filter(({ name }) => name in plainTools)) {
    const readiness = await definition.probe();
    if (!readiness.ready) {
      console.error(`  without ${definition.name}: ${readiness.reason}`);
      continue;
    }
    rows.push(...await measure(definition.name));
  }
  return rows;
}

const targets: Record<string, { provision: string; exec: string }> = {
  sandbox: { provision: "< 50 ms", exec: "< 10 ms" },
  docker: { provision: "< 300 ms", exec: "< 30 ms" },
};

/** What a person would type for the same, where there is such a thing. */
const plainTools: Record<string, { name: string; provision: string[]; exec?: (state: string) => string[] }> =
  {
    docker: {
      name: "docker run",
      provision: ["docker", "run", "--rm", "--entrypoint", "true", "pth-base-debian12"],
      exec: (container) => ["docker", "exec", container, "true"],
    },
    sandbox: { name: "bwrap", provision: ["bwrap", "--ro-bind", "/", "/", "--unshare-all", "true"] },
    host: { name: "env", provision: ["env", "true"], exec: () => ["env", "true"] },
  };

async function measure(name: string): Promise<Row[]> {
  const definition = registry.find((candidate) => candidate.name === name)!;
  const runtime = definition.create();
  let number = 0;
  const spec = (): EnvironmentSpec => ({
    environmentId: `bench-${name}-${++number}`,
    sessionId: "bench",
    tier: 1,
    env: {},
    resources: {},
  });
  const taken: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const started = performance.now();
    const handle = await runtime.provision(spec());
    if (round > 0) taken.push(performance.now() - started);
    await runtime.destroy(handle);
  }
  const provision = taken.toSorted((a, b) => a - b)[Math.floor(rounds / 2)]!;
  const plain = plainTools[name]!;
  const [program, ...args] = plain.provision;
  const plainProvision = await time(rounds, () => run(program!, args));
  const handle = await runtime.provision(spec());
  const exec = await time(rounds * 3, () => runtime.exec(handle, ["true"]));
  const execCommand = plain.exec?.(`pth-${handle.environmentId}`);
  const plainExec = execCommand && await time(rounds, () => run(execCommand[0]!, execCommand.slice(1)));
  await runtime.destroy(handle);
  return [
    {
      what: `${name}: provision`,
      value: provision,
      unit: "ms",
      plain: { tool: plain.name, value: plainProvision },
      ...(targets[name] ? { target: targets[name].provision } : {}),
    },
    {
      what: `${name}: exec`,
      value: exec,
      unit: "ms",
      ...(plainExec === undefined
        ? {}
        : { plain: { tool: execCommand!.slice(0, 2).join(" "), value: plainExec } }),
      ...(targets[name] ? { target: targets[name].exec } : {}),
    },
  ];
}
