import { defineBuildSystem } from "../build_system.ts";

const names = ["GNUmakefile", "makefile", "Makefile"];

/** A makefile. `make install` writes outside the plugin's folder: only in isolated environments. */
export default defineBuildSystem({
  name: "make",
  row: 5,
  async detect(folder, { isolated }) {
    for (const name of names) {
      const text = await folder.read(name);
      if (text === undefined) continue;
      const installs = isolated && /^install\s*:/m.test(text);
      return {
        system: "make",
        evidence: name,
        build: installs ? "make && make install" : "make",
        toolchains: /\b(g\+\+|CXX)\b/.test(text) ? ["make", "cc", "c++"] : ["make", "cc"],
      };
    }
    return undefined;
  },
});
