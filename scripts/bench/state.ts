/** What an environment tells of itself: health, drift, inspection, beside the commands that a person would type there. */
import type { EnvironmentHandle, EnvironmentSpec } from "../../machines/model/environment.ts";
import { registry } from "../../src/runtimes/_registry.ts";
import type { EnvironmentRuntime, RuntimeDefinition } from "../../src/runtimes/runtime.ts";
import { type Row, time } from "./table.ts";

const rounds = 3;
/** Files outside the source, besides the image's own, where it is measured how a drift check grows. */
const manyFiles = 50_000;

/** Those that start within a second; virtual machines have a part of their own. */
const measured = ["sandbox", "docker", "systemd"];

export async function measureState(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const name of measured) {
    const definition = registry.find((known) => known.name === name)!;
    const readiness = await definition.probe();
    if (!readiness.ready) console.error(`  without ${name}: ${readiness.reason}`);
    else rows.push(...await measure(definition));
  }
  return rows;
}

async function measure({ name, tiers, create }: RuntimeDefinition): Promise<Row[]> {
  const runtime = create();
  const handle = await runtime.provision(spec(name, tiers[0]!));
  try {
    return await rowsOf(runtime, handle);
  } finally {
    await runtime.destroy(handle);
  }
}

const spec = (name: string, tier: EnvironmentSpec["tier"]): EnvironmentSpec => ({
  environmentId: `bench-state-${name}-${Deno.pid}`,
  sessionId: "bench",
  tier,
  env: {},
  resources: {},
});

/** What tells as much of the same things, without a word to read. */
const byHand = {
  health: "df -P / /tmp; free; ps -eo stat; cat /proc/sys/fs/file-nr; systemctl --failed; true",
  drift: "dpkg-query -W; find /etc -type f -exec sha256sum {} +; " +
    "find / -xdev ! -type d ! -path '/work/plugin/*' -printf '%s %T@ %p\\n'",
};

async function rowsOf(runtime: EnvironmentRuntime, handle: EnvironmentHandle): Promise<Row[]> {
  const { name } = runtime;
  const plain = async (script: string) => ({
    tool: "the same by hand",
    value: await time(rounds, () => runtime.exec(handle, ["sh", "-c", `{ ${script}; } >/tmp/seen 2>&1`])),
  });
  const baseline = await runtime.fingerprint(handle);
  const drift = () => time(rounds, () => runtime.detectDrift(handle, baseline));
  const row = (what: string, value: number, more: Partial<Row> = {}): Row => ({
    what: `${name}: ${what}`,
    value,
    unit: "ms",
    ...more,
  });
  const rows = [
    row("health", await time(rounds, () => runtime.healthCheck(handle)), {
      plain: await plain(byHand.health),
      target: "< 100 ms",
    }),
    row("inspect", await time(rounds, () => runtime.inspect(handle))),
    row("drift check", await drift(), { plain: await plain(byHand.drift), target: "< 1000 ms" }),
  ];
  await runtime.exec(handle, [
    "sh",
    "-c",
    `mkdir /opt/many && cd /opt/many && seq ${manyFiles} | xargs touch`,
  ]);
  return [
    ...rows,
    row(`drift check, ${manyFiles} files more`, await drift(), { plain: await plain(byHand.drift) }),
  ];
}
