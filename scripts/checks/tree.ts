/** Reads the repository for the checks. */
import { join } from "node:path";
import { pathExists, readTextFile } from "../../src/platform/files.ts";
import { runCommand } from "../../src/platform/process.ts";
import type { Tree } from "./check.ts";

/** @throws {Error} when git cannot list the files. */
export async function readTree(root: string): Promise<Tree> {
  const listed = await runCommand(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
  });
  if (listed.code !== 0) {
    throw new Error(`Cannot list files: git exited with ${listed.code}\n${listed.stderr}`);
  }
  const paths: string[] = [];
  for (const path of new Set(listed.stdout.split("\0"))) {
    if (path !== "" && await pathExists(join(root, path))) paths.push(path);
  }
  return fromTexts(root, paths, (path) => readTextFile(join(root, path)));
}

/** A tree over any reader; each file is read once. */
export function fromTexts(root: string, paths: string[], read: (path: string) => Promise<string>): Tree {
  const texts = new Map<string, Promise<string>>();
  return {
    root,
    paths: [...paths].sort(),
    read(path) {
      let text = texts.get(path);
      if (text === undefined) texts.set(path, text = read(path));
      return text;
    },
  };
}
