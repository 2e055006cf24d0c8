/** Programs that are stuck, in each language. */
import { fileURLToPath } from "node:url";
import { join } from "node:path";

const programs = fileURLToPath(new URL("./", import.meta.url));

/** One program in one language, with a deadlock and an endless loop as its parts. */
export interface PlantedProgram {
  language: string;
  needs: string;
  /** Command that makes the program in a folder, and the program's words behind which its part is named. */
  make?: (folder: string) => string[];
  run: (folder: string) => string[];
  cycle?: RegExp;
  /** Functions that the stacks of the deadlock show, where they can. */
  functions?: RegExp[];
  /** Judgement of the deadlock where it is another. */
  kind?: "beyond_timeout";
  loop: "certain" | "suspected";
}

export const plantedPrograms: PlantedProgram[] = [
  {
    language: "C++",
    needs: "g++",
    make: (folder) => ["g++", "-g", "-O1", "-pthread", "-o", join(folder, "cpp"), join(programs, "dead.cpp")],
    run: (folder) => ["sh", "-c", '"$@"; true', "sh", join(folder, "cpp")],
    cycle: /\(\d+\)/,
    functions: [/store/, /load/],
    loop: "certain",
  },
  {
    language: "Rust",
    needs: "rustc",
    make: (folder) => ["rustc", "--test", "-g", "-o", join(folder, "rust"), join(programs, "dead.rs")],
    run: (folder) => [join(folder, "rust"), "--exact"],
    functions: [/connect/, /migrate/],
    loop: "certain",
  },
  {
    language: "Go",
    needs: "go",
    make: (folder) => ["go", "build", "-o", join(folder, "go"), join(programs, "dead.go")],
    run: (folder) => [join(folder, "go")],
    kind: "beyond_timeout",
    functions: [/^main\.store$/, /^main\.load$/],
    loop: "suspected",
  },
  {
    language: "Python",
    needs: "python3",
    run: () => ["python3", join(programs, "dead.py")],
    loop: "certain",
  },
  {
    language: "Node",
    needs: "node",
    run: () => ["node", join(programs, "dead.mjs")],
    functions: [/^take$/],
    loop: "certain",
  },
  {
    language: "Java",
    needs: "javac",
    make: (folder) => ["javac", "-d", folder, join(programs, "Dead.java")],
    run: (folder) => ["java", "-cp", folder, "Dead"],
    cycle: /store|load/,
    functions: [/Dead\.store/, /Dead\.load/],
    loop: "certain",
  },
];
