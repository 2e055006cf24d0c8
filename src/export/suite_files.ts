/** A session's tests as files to keep, so that the next session starts from them. */
import { join, sep } from "node:path";
import type { TestCase } from "../../machines/model/test_case.ts";
import { slug } from "../testing/format/ids.ts";
import { defaultTestFolder, generatedFolder } from "../testing/format/test_folders.ts";
import { serializeTests } from "../testing/format/serialize_tests.ts";
import type { ExportFile } from "../platform/write_inside.ts";

const header =
  "# Written by PTH at the end of a session. A test that you change belongs in a file beside this folder.\n";

/**
 * Files below the plugin's folder for tests that lie in none of it yet: one per tool, in `.pth/tests/generated/`. The same
 * tests give the same bytes. Files that hold tests already stay as their authors wrote them.
 * @param folder the plugin's folder on the host
 */
export function suiteFiles(tests: readonly TestCase[], folder: string): ExportFile[] {
  const home = join(folder, defaultTestFolder) + sep;
  const generated = join(folder, generatedFolder) + sep;
  const byName = new Map<string, TestCase[]>();
  for (const test of tests) {
    const kept = test.file !== undefined && test.file.startsWith(home) && !test.file.startsWith(generated);
    if (kept) continue;
    const name = test.check !== undefined
      ? "server"
      : test.tool === undefined
      ? "scenarios"
      : `tool-${slug(test.tool)}`;
    byName.set(name, [...byName.get(name) ?? [], test]);
  }
  return [...byName].sort(([a], [b]) => a < b ? -1 : 1).map(([name, own]) => ({
    path: `${generatedFolder}/${name}.yaml`,
    text: `${header}${serializeTests(own)}`,
  }));
}
