/**
 * Builds the npm package: `npm run build`, then `npm pack ./dist`.
 *
 *   deno run -A scripts/build.ts [--out dist]
 *
 * It is the bundle of an installed plugin (`bundle.mjs`) with entries for programs, their types and `publishConfig` of
 * package.json. Of its packages only those are installed beside it that its types name.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chmod, copyFile, readTextFile, removeIfExists, writeTextFile } from "../src/platform/files.ts";
import { bundle } from "./bundle.mjs";
import { writeDeclarations } from "./declarations.ts";
import { bundledLicenses } from "./licenses.ts";

const root = join(import.meta.dirname!, "..");
const dist = join(root, "dist");

/** What programs import, by the name of the entry. */
const modules = {
  mod: "src/mod.ts",
  report: "src/testing/report/report_schema.ts",
  pi: "src/test_sessions/create_test_session.ts",
  claude: "src/test_sessions/create_agent_session.ts",
  in_test: "src/test_sessions/test_session.ts",
};

const files = [
  "README.md",
  "LICENSE",
  "docs/report.schema.json",
  "docs/fixture-report.schema.json",
  "docs/fixture-run-report.schema.json",
  "docs/test.schema.json",
  "docs/playbook.schema.json",
  "docs/hook-test.schema.json",
];

interface Manifest {
  dependencies: Record<string, string>;
  publishConfig: { directory: string; [field: string]: unknown };
  [field: string]: unknown;
}

const { values: { out } } = parseArgs({ options: { out: { type: "string", default: dist } } });
if (out === dist) await removeIfExists(dist);
await bundle({ root, packages: join(root, "node_modules"), out, modules });
const typed = await writeDeclarations(root, Object.values(modules), join(out, "types"));
for (const path of files) await copyFile(join(root, path), join(out, path));
await writeTextFile(join(out, "THIRD_PARTY_LICENSES.txt"), await bundledLicenses(root));
await writeTextFile(join(out, "package.json"), `${JSON.stringify(await manifestOf(typed), null, 2)}\n`);
await chmod(join(out, "cli.js"), 0o755);

/** package.json of the package; packages that are in the bundle are development dependencies, which nobody installs. */
async function manifestOf(typed: ReadonlySet<string>): Promise<object> {
  const manifest = JSON.parse(await readTextFile(join(root, "package.json"))) as Manifest;
  const { name, version, description, license, type, engines, dependencies, publishConfig } = manifest;
  const { directory: _, ...published } = publishConfig;
  const pick = (wanted: boolean) =>
    Object.fromEntries(Object.entries(dependencies).filter(([name]) => typed.has(name) === wanted));
  return {
    ...{ name, version, description, license, type, engines, ...published },
    dependencies: pick(true),
    devDependencies: pick(false),
  };
}
