import { symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import t, { type Test } from "tap";
import wellTyped from "../../../scripts/checks/well_typed.ts";
import { fromTexts } from "../../../scripts/checks/tree.ts";
import { readTextFile, writeTextAtomically } from "../../../src/platform/files.ts";

const root = resolve(import.meta.dirname!, "../../..");

async function checkedTree(t: Test, src: Record<string, string>) {
  const folder = t.testdir({
    src,
    "deno.json": await readTextFile(join(root, "deno.json")),
    "package.json": '{ "type": "module" }',
  });
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  return { folder, check: () => wellTyped.run(fromTexts(folder, [], () => Promise.resolve(""))) };
}

t.test("a mistake in types is told with its place, also in what a change reaches only later", async (t) => {
  const { folder, check } = await checkedTree(t, {
    "a.ts": 'import process from "node:process";\nexport const id: number = Deno.pid + process.pid;\n',
    "b.ts": 'import { id } from "./a.ts";\nexport const next: number = id + 1;\n',
  });
  t.same(await check(), []);
  await writeTextAtomically(join(folder, "src/a.ts"), 'export const id: string = "a";\n');
  t.match(await check(), [/^src\/b\.ts\(2,14\): error TS2322/]);
  t.match(await check(), [/^src\/b\.ts\(2,14\): error TS2322/], "it stays until it is mended");
  await writeTextAtomically(join(folder, "src/b.ts"), "export const next = 1;\n");
  t.same(await check(), []);
});

t.test("types are as strict as deno.json says, and Deno's names are those of this Deno", async (t) => {
  const { check } = await checkedTree(t, {
    "a.ts": "export const first = (list: string[]): string => list[0];\n",
    "b.ts": "export const b: { x?: number } = { x: undefined };\n",
    "c.ts": "export enum Kind { A }\n",
    "d.ts": "export const d = Deno.notThere();\n",
    "e.ts": "export const e = (x) => x;\n",
  });
  t.match((await check()).sort(), [/^src\/a/, /^src\/b/, /^src\/c.*TS1294/, /^src\/d/, /^src\/e/]);
});
