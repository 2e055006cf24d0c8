import { defineBuildSystem } from "../build_system.ts";

/** `go.mod`: every command of the module is built into `bin/`. */
export default defineBuildSystem({
  name: "go",
  row: 7,
  async detect(folder) {
    if (!await folder.exists("go.mod")) return undefined;
    return {
      system: "go",
      evidence: "go.mod",
      build: "mkdir -p bin && go build -o bin/ ./...",
      toolchains: ["go"],
    };
  },
});
