import { defineBuildSystem, npmInstall } from "../build_system.ts";

/** `package.json` without a build script: installed, not built. */
export default defineBuildSystem({
  name: "npm",
  row: 3,
  async detect(folder) {
    if (!await folder.exists("package.json")) return undefined;
    return { system: "npm", evidence: "package.json", install: npmInstall, toolchains: ["npm"] };
  },
});
