/** How a machine's costs grow: with the files of its source, and with the snapshots that it has. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { EnvironmentHandle } from "../../machines/model/environment.ts";
import vm from "../../src/runtimes/vm.ts";
import type { Row } from "./table.ts";

const [files, perFolder] = [20_000, 200];
const snapshots = 10;

export async function measureVmGrowth(): Promise<Row[]> {
  const readiness = await vm.probe();
  if (!readiness.ready) {
    console.error(`  without vm: ${readiness.reason}`);
    return [];
  }
  const source = await mkdtemp(join(tmpdir(), "pth-bench-source-"));
  try {
    const few = await started(source);
    await fill(source);
    const many = await started(source, measureSnapshots);
    return [
      {
        what: `vm: first command, ${files} files in the source (${many.method})`,
        value: many.ms,
        unit: "ms",
        plain: { tool: "without files", value: few.ms },
      },
      ...many.rows,
    ];
  } finally {
    await rm(source, { recursive: true });
  }
}

async function fill(source: string): Promise<void> {
  for (let folder = 0; folder < files / perFolder; folder++) {
    const path = join(source, `folder-${folder}`);
    await mkdir(path);
    const names = Array.from({ length: perFolder }, (_, number) => join(path, `file-${number}.js`));
    await Promise.all(names.map((name) => writeFile(name, `export const name = ${JSON.stringify(name)};\n`)));
  }
}

const runtime = vm.create();
let number = 0;

/** A rollback gives another handle. */
type Then = (handle: EnvironmentHandle) => Promise<{ handle: EnvironmentHandle; rows: Row[] }>;

/** From nothing until a command has seen the source; then whatever else is to be measured there. */
async function started(source: string, then: Then = (handle) => Promise.resolve({ handle, rows: [] })) {
  const begun = performance.now();
  let handle = await runtime.provision({
    environmentId: `bench-vm-growth-${process.pid}-${++number}`,
    sessionId: "bench",
    tier: 3,
    env: {},
    resources: {},
  });
  try {
    const { method } = await runtime.mountSource(handle, source, handle.sourcePath);
    const { stdout } = await runtime.exec(handle, ["sh", "-c", "find . -type f | wc -l"]);
    const ms = performance.now() - begun;
    if (number > 1 && Number(stdout) !== files) throw new Error(`it sees ${stdout.trim()} files of ${files}`);
    const after = await then(handle);
    handle = after.handle;
    return { ms, method, rows: after.rows };
  } finally {
    await runtime.destroy(handle);
  }
}

async function measureSnapshots(begun: EnvironmentHandle): ReturnType<Then> {
  let handle = begun;
  const taken: number[] = [];
  const names: string[] = [];
  for (let round = 0; round < snapshots; round++) {
    const before = performance.now();
    names.push(await runtime.snapshot(handle, `round-${round}`));
    taken.push(performance.now() - before);
  }
  const back = async (name: string) => {
    const before = performance.now();
    handle = await runtime.rollback(handle, name);
    return performance.now() - before;
  };
  const [newest, oldest] = [await back(names.at(-1)!), await back(names[0]!)];
  const rows: Row[] = [
    {
      what: `vm: snapshot ${snapshots} of a machine`,
      value: taken.at(-1)!,
      unit: "ms",
      plain: { tool: "its first", value: taken[0]! },
    },
    {
      what: `vm: rollback to the oldest of ${snapshots}`,
      value: oldest,
      unit: "ms",
      plain: { tool: "to the newest", value: newest },
      target: "< 1000 ms",
    },
  ];
  return { handle, rows };
}
