import { defineBuildSystem, npmInstall } from "../build_system.ts";
import { readPackageJson } from "../package_json.ts";

/** `package.json` with a build script. */
export default defineBuildSystem({
  name: "npm",
  row: 1,
  async detect(folder) {
    const manifest = await readPackageJson(folder);
    if (manifest?.scripts?.build === undefined) return undefined;
    return {
      system: "npm",
      evidence: "package.json (build script)",
      install: npmInstall,
      build: "npm run build",
      toolchains: ["npm"],
    };
  },
});
