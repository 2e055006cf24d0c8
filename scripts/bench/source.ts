/** Bringing a source in: the first copy, and a reload after one edit, beside what a shared folder costs. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import type { EnvironmentHandle } from "../../machines/model/environment.ts";
import { registry } from "../../src/runtimes/_registry.ts";
import type { EnvironmentRuntime, RuntimeDefinition } from "../../src/runtimes/runtime.ts";
import { type Row, time } from "./table.ts";

const run = promisify(execFile);
const rounds = 5;
const [manyFiles, perFolder] = [5000, 100];
const [largeMB, fileMB] = [200, 2];

export async function measureSource(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const definition of registry.filter(({ name }) => name !== "vm")) {
    const readiness = await definition.probe();
    if (readiness.ready) rows.push(...await measure(definition));
    else console.error(`  without ${definition.name}: ${readiness.reason}`);
  }
  return rows;
}

async function measure({ name, create, tiers }: RuntimeDefinition): Promise<Row[]> {
  const runtime = create();
  const folder = await mkdtemp(join(tmpdir(), "pth-bench-source-"));
  const environmentId = `bench-source-${name}-${process.pid}`;
  const spec = { environmentId, sessionId: "bench", tier: tiers[0]!, env: {}, resources: {} };
  const handle = await runtime.provision(spec);
  try {
    return [
      ...await measureReload(name, runtime, handle, join(folder, "many")),
      ...await measureFirst(name, runtime, handle, join(folder, "large")),
    ];
  } finally {
    await runtime.destroy(handle);
    await rm(folder, { recursive: true });
  }
}

async function measureReload(
  name: string,
  runtime: EnvironmentRuntime,
  handle: EnvironmentHandle,
  source: string,
): Promise<Row[]> {
  await fill(source, manyFiles, "export const x = 1;\n");
  const edited = join(source, "folder-7", "file-742.js");
  const seen = ["cat", "folder-7/file-742.js"];
  await runtime.mountSource(handle, source, handle.sourcePath);
  let edit = 0;
  const reload = await time(rounds, async () => {
    await writeFile(edited, `export const x = ${++edit};\n`);
    await runtime.mountSource(handle, source, handle.sourcePath);
  });
  const { stdout } = await runtime.exec(handle, seen);
  if (stdout !== `export const x = ${edit};\n`) throw new Error(`${name} sees ${stdout}`);
  const unchanged = await time(rounds, () => runtime.mountSource(handle, source, handle.sourcePath));
  // A shared folder needs nothing but the command that reads the file.
  const plain = {
    tool: "reading it in a shared folder",
    value: await time(rounds, () => runtime.exec(handle, seen)),
  };
  return [
    {
      what: `${name}: one of ${manyFiles} files edited`,
      value: reload,
      unit: "ms",
      plain,
      target: "< 100 ms",
    },
    { what: `${name}: none of ${manyFiles} files edited`, value: unchanged, unit: "ms", plain },
  ];
}

async function measureFirst(
  name: string,
  runtime: EnvironmentRuntime,
  handle: EnvironmentHandle,
  source: string,
): Promise<Row[]> {
  await fill(source, largeMB / fileMB, new Uint8Array(fileMB * 1024 * 1024).fill(120));
  let number = 0;
  const first = await time(3, () => runtime.mountSource(handle, source, `/work/large-${++number}`));
  const copies = join(source, "..", "copies");
  const plain = await time(3, async () => {
    await rm(copies, { recursive: true, force: true });
    await run("cp", ["-a", source, copies]);
  });
  return [{
    what: `${name}: first copy of ${largeMB} MB`,
    value: first,
    unit: "ms",
    plain: { tool: "cp -a", value: plain },
    target: "< 2000 ms",
  }];
}

async function fill(source: string, files: number, content: string | Uint8Array): Promise<void> {
  for (let number = 0; number < files; number++) {
    const folder = join(source, `folder-${Math.floor(number / perFolder)}`);
    if (number % perFolder === 0) await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `file-${number}.js`), content);
  }
}
