import { defineBuildSystem } from "../build_system.ts";

/** `Cargo.toml`: cargo fetches what it needs while it builds. */
export default defineBuildSystem({
  name: "cargo",
  row: 6,
  async detect(folder) {
    if (!await folder.exists("Cargo.toml")) return undefined;
    return { system: "cargo", evidence: "Cargo.toml", build: "cargo build", toolchains: ["cargo", "cc"] };
  },
});
