import { binsOf, chooseExecutable, interpreterCommand } from "../../plugin/find_start.ts";
import { type PackageJson, readPackageJson } from "../../plugin/package_json.ts";
import { defineInstallKind, noPackageParts } from "../install_kind.ts";
import { installNpm, npmFaults, npmPrograms, packNpm } from "../npm_package.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import { posix } from "node:path";
import { startOutside } from "../start_outside.ts";

/** The program that `npx` starts; several without one of the package's name are no server. */
function serverBin(manifest: PackageJson): string | undefined {
  const bins = Object.keys(binsOf(manifest));
  const plain = manifest.name?.replace(/^@[^/]*\//, "");
  return bins.length < 2 || bins.includes(plain ?? "")
    ? chooseExecutable(bins, manifest.name, undefined)
    : undefined;
}

/** An npm package: `npm pack`, and `npm install` of the archive. */
export default defineInstallKind({
  name: "npm",
  summary:
    "`npm pack`, `npm install` of the archive into an empty project, each entry imported, each program started",
  detectedBy: "a package.json with name and version that is not private",
  needs: ["npm"],
  archives: /\.tgz$|\.tar\.gz$/,
  declaresServers: false,
  async detects(folder) {
    const manifest = await readPackageJson(folder);
    return manifest?.name !== undefined && manifest.version !== undefined &&
      (manifest as { private?: unknown }).private !== true;
  },
  // What is built is what is packed: a load installs and builds.
  async servers(folder, path) {
    const manifest = await readPackageJson(folder) ?? {};
    const bin = serverBin(manifest);
    if (bin !== undefined) {
      return [{ name: "", command: interpreterCommand(posix.join(path, binsOf(manifest)[bin]!)) }];
    }
    const scripts = Object.keys(manifest.scripts ?? {});
    return scripts.some((name) => /^(?:build|prepack|prepare)$/.test(name)) ? [{ name: "" }] : [];
  },
  pack: packNpm,
  async install(place, packed) {
    const installed = await installNpm(place, packed.path);
    if (!("root" in installed)) {
      return { root: "", servers: [], programs: [], notes: [], fault: installed };
    }
    const { root, project, manifest } = installed;
    const bin = serverBin(manifest);
    const command = bin === undefined ? undefined : posix.join(project, "node_modules/.bin", bin);
    return {
      root,
      servers: command === undefined ? [] : [{ name: "", command: startOutside(project, {}, [command]) }],
      programs: npmPrograms(installed),
      notes: [],
    };
  },
  inspect: (trees) => npmFaults(trees),
  async parts(tree) {
    const manifest = jsonIn(await tree.read("package.json") ?? "");
    return { ...noPackageParts, programs: isObject(manifest) ? Object.keys(binsOf(manifest)).sort() : [] };
  },
});
