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
  writeTextFile,
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
  const made = await makeTempDir({ prefix: "pth-types-" });
  try {
    const needed = new Set(entries);
    const packages = new Set<string>();
    for (let round = [...needed]; round.length > 0;) {
      await declare(root, round, made);
      const before = needed.size;
      for (const path of round) {
        const declaration = declarationOf(path);
        for (const found of findImports(path, await readTextFile(join(made, declaration)))) {
          if (found.path !== undefined) needed.add(posix.normalize(found.path));
          else if (!isBuiltin(found.specifier)) packages.add(packageOf(found.specifier));
        }
        await mkdir(dirname(join(dist, declaration)), { recursive: true });
        await copyFile(join(made, declaration), join(dist, declaration));
      }
      round = [...needed].slice(before);
    }
    return packages;
  } finally {
    await removeIfExists(made);
  }
}

const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)![0];

const declarationOf = (path: string): string => path.replace(/\.ts$/, ".d.ts");

/** Most files say their types themselves: tsc reads what they import only for those that leave them to be inferred. */
async function declare(root: string, files: readonly string[], made: string): Promise<void> {
  await emit(root, files, made, { noResolve: true, isolatedDeclarations: true });
  const isMade = await Promise.all(files.map((path) => pathExists(join(made, declarationOf(path)))));
  const inferred = files.filter((_, index) => !isMade[index]);
  if (inferred.length === 0) return;
  const output = await emit(root, inferred, made, {});
  for (const path of inferred) {
    const problem = output.split("\n").find((line) => line.startsWith(`${path}(`));
    if (problem !== undefined || !await pathExists(join(made, declarationOf(path)))) {
      throw new Error(`Cannot write the types of ${path}: ${problem ?? output}`);
    }
  }
}

/** @returns what tsc says */
async function emit(
  root: string,
  files: readonly string[],
  outDir: string,
  options: object,
): Promise<string> {
  const project = join(outDir, "tsconfig.json");
  const declarations = { declaration: true, emitDeclarationOnly: true, outDir };
  await writeTextFile(
    project,
    JSON.stringify({
      extends: join(root, "tsconfig.build.json"),
      compilerOptions: { ...declarations, ...options },
      include: [],
      files: files.map((path) => join(root, path)),
    }),
  );
  return (await runTsc(root, ["--project", project])).stdout;
}
