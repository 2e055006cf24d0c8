/** Writes the types of what programs may import, and no others. */
import { isBuiltin } from "node:module";
import { dirname, join, posix } from "node:path";
import {
  copyFile,
  makeTempDir,
  mkdir,
  pathExists,
  readTextFile,
  removeIfExists,
} from "../src/platform/files.ts";
import { findImports } from "./checks/imports.ts";
import { runTsc } from "./compile.ts";

/**
 * @param entries source files relative to the repository, such as `src/mod.ts`
 * @returns packages that the types name
 * @throws {Error} with tsc's output, when the types of a file that an entry needs cannot be written
 */
export async function writeDeclarations(
  root: string,
  entries: readonly string[],
  dist: string,
): Promise<Set<string>> {
  const all = await makeTempDir({ prefix: "pth-types-" });
  try {
    const { stdout } = await runTsc(root, [
      "--project",
      join(root, "tsconfig.build.json"),
      "--declaration",
      "--emitDeclarationOnly",
      "--outDir",
      all,
    ]);
    const needed = new Set(entries);
    const packages = new Set<string>();
    for (const path of needed) {
      const declaration = path.replace(/\.ts$/, ".d.ts");
      const problem = stdout.split("\n").find((line) => line.startsWith(`${path}(`));
      if (problem !== undefined || !await pathExists(join(all, declaration))) {
        throw new Error(`Cannot write the types of ${path}: ${problem ?? stdout}`);
      }
      for (const found of findImports(path, await readTextFile(join(all, declaration)))) {
        if (found.path !== undefined) needed.add(posix.normalize(found.path));
        else if (!isBuiltin(found.specifier)) packages.add(packageOf(found.specifier));
      }
      await mkdir(dirname(join(dist, declaration)), { recursive: true });
      await copyFile(join(all, declaration), join(dist, declaration));
    }
    return packages;
  } finally {
    await removeIfExists(all);
  }
}

const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)![0];
