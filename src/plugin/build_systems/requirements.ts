import { defineBuildSystem, makeVenv, pipCommand } from "../build_system.ts";

/** Only a `requirements.txt`: a script with packages. */
export default defineBuildSystem({
  name: "pip (requirements)",
  row: 8,
  async detect(folder) {
    if (!await folder.exists("requirements.txt")) return undefined;
    return {
      system: "pip (requirements)",
      evidence: "requirements.txt",
      install: `${makeVenv} && ${pipCommand} install -r requirements.txt`,
      toolchains: ["python3"],
    };
  },
});
