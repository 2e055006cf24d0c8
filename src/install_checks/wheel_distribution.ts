/** The distribution that was installed, among the packages of its environment. */
import { posix } from "node:path";
import type { PackageTree } from "./inside_tree.ts";

export interface WheelDistribution {
  /** Folder of what pip knows of it; undefined where there is none. */
  info: string | undefined;
  /** Files of it, by their paths from the folder of all packages. */
  files: string[];
}

/** The distribution that was asked for alone has a file `REQUESTED`: others are its dependencies. */
export async function wheelDistribution(installed: PackageTree): Promise<WheelDistribution> {
  const asked = [...installed.entries.keys()].find((path) => /^[^/]+\.dist-info\/REQUESTED$/.test(path));
  if (asked === undefined) return { info: undefined, files: [] };
  const info = posix.dirname(asked);
  const record = await installed.read(`${info}/RECORD`) ?? "";
  const files = record.split("\n").map((line) => line.split(",")[0]!).filter((path) =>
    installed.entries.has(path)
  );
  return { info, files };
}

/** Lines `name = module:object` of the section of console scripts. */
export function consoleScripts(text: string): Record<string, string> {
  const section = /^\[console_scripts\]\s*\n([^[]*)/m.exec(text)?.[1] ?? "";
  return Object.fromEntries(
    [...section.matchAll(/^\s*([\w.-]+)\s*=\s*([\w.]+(?::[\w.]+)?)/gm)].map((
      [, name, target],
    ) => [name!, target!]),
  );
}
