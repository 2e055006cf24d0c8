import { defineBuildSystem, npmInstall } from "../build_system.ts";
import { type PackageJson, readPackageJson } from "../package_json.ts";
import type { ReadableFolder } from "../readable_folder.ts";

/**
 * `tsconfig.json` without a build script.
 *
 * It is looked at before the plain `package.json` row, which would hide it: without a package.json npm has nothing to install.
 * It holds only where tsc makes what is started, not for projects that run their sources as they are.
 */
export default defineBuildSystem({
  name: "npm (tsconfig)",
  row: 2,
  async detect(folder) {
    const tsconfig = await folder.read("tsconfig.json");
    if (tsconfig === undefined || /"noEmit"\s*:\s*true/.test(tsconfig)) return undefined;
    const manifest = await readPackageJson(folder);
    if (!await startsCompiled(folder, manifest ?? {}, tsconfig)) return undefined;
    // Without the package, `npx tsc` would fetch one of that name which is not TypeScript.
    const known = { ...manifest?.dependencies, ...manifest?.devDependencies }.typescript !== undefined;
    return {
      system: "npm (tsconfig)",
      evidence: "tsconfig.json",
      install: npmInstall,
      build: known ? "npx --no-install tsc" : "npx --yes --package=typescript tsc",
      toolchains: ["npm"],
    };
  },
});

async function startsCompiled(
  folder: ReadableFolder,
  manifest: PackageJson,
  tsconfig: string,
): Promise<boolean> {
  const bin = typeof manifest.bin === "string" ? manifest.bin : Object.values(manifest.bin ?? {})[0];
  const entry = (bin ?? manifest.main)?.replace(/^\.\//, "");
  if (entry === undefined) return true;
  const outDir = /"outDir"\s*:\s*"(?:\.\/)?([^"]+?)\/?"/.exec(tsconfig)?.[1];
  return (outDir !== undefined && entry.startsWith(`${outDir}/`)) || !await folder.exists(entry);
}
