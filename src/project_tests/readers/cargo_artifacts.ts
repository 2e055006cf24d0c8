/** Reads which programs Cargo has built, from its messages, and names each as Cargo does in its advice. */
import { parseObject } from "./parse_object.ts";
import { projectPath } from "./project_path.ts";

export interface CargoArtifacts {
  /** Answers whether the line is Cargo's; only what comes before the end of the build can be. */
  read(line: string): boolean;
  /** Suite in the words of Cargo's own advice: the options that pick the program among all; and its source file. */
  named(executable: string): { suite: string; test?: string };
}

/** @param root absolute path of the project's folder */
export function createCargoArtifacts(root: string): CargoArtifacts {
  const programs = new Map<string, { target: string; packageName: string; source: string }>();
  const packages = new Set<string>();
  let finished = false;
  return {
    read(line: string): boolean {
      if (finished || !line.startsWith('{"reason":"')) return false;
      const message = parseObject(line);
      if (message?.reason === "build-finished") finished = true;
      const { target, executable, manifest_path: manifest } = (message ?? {}) as {
        target?: { kind?: string[]; name?: string; src_path?: string };
        executable?: string;
        manifest_path?: string;
      };
      const isTest = (message?.profile as { test?: boolean } | undefined)?.test === true;
      if (typeof executable !== "string" || !isTest || typeof target?.name !== "string") return true;
      const kind = target.kind?.[0] ?? "";
      const option = ["bin", "test", "example", "bench"].includes(kind)
        ? `--${kind} ${target.name}`
        : "--lib";
      const id = String(message?.package_id ?? manifest);
      packages.add(id);
      if (programs.size < 10_000) {
        programs.set(executable, {
          target: option,
          packageName: packageName(id),
          source: projectPath(root, target.src_path ?? target.name),
        });
      }
      return true;
    },
    named(executable: string): { suite: string; test?: string } {
      const found = programs.get(executable);
      if (found === undefined) return { suite: executable.replace(/^.*\//, "").replace(/-[\da-f]{16}$/, "") };
      const { target, packageName, source } = found;
      return { suite: packages.size > 1 ? `-p ${packageName} ${target}` : target, test: source };
    },
  };
}

/** Name of a package of which Cargo tells the identity: `path+file:///folder#name@1.0.0`, or `…/name#1.0.0`. */
function packageName(id: string): string {
  const after = id.slice(id.lastIndexOf("#") + 1);
  if (after.includes("@")) return after.slice(0, after.indexOf("@"));
  const old = /^([\w-]+) \d/.exec(id);
  return old?.[1] ?? id.slice(0, Math.max(id.lastIndexOf("#"), 0)).replace(/^.*\//, "");
}
