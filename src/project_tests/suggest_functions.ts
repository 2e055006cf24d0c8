import type { ProjectTest } from "../../machines/model/project_test.ts";

const most = 8;
const ofLanguages =
  /^<?(?:std|core|alloc|test|__rust\w*|__libc\w*|_start|main|abort|raise|testing|Catch|doctest|boost)\b/;

/**
 * Patterns of functions for the traces of a failed test, best first: those of its frames, those that its message calls
 * by name, and all of the module that the test stands in.
 */
export function suggestFunctions({ name, suite, message, stack }: ProjectTest): string[] {
  const module = name.split(" ")[0]!.split("::").filter((part) => !/^tests?$/.test(part));
  const own = module.slice(0, -1).join("::");
  const crate = /(?:^| )-p ([\w-]+)/.exec(suite ?? "")?.[1]?.replaceAll("-", "_");
  const suggested = [
    ...(stack ?? []).map(functionOf).filter((found) => found !== undefined && !isTest(found, name)),
    ...[...(message ?? "").matchAll(/\b((?:[A-Za-z_]\w*::)+[a-z_]\w*)(?:\(|`|'|")/g)].map((found) =>
      found[1]
    ),
    ...own === "" ? [] : [`${own}::*`],
    ...own === "" && crate !== undefined ? [`${crate}::*`] : [],
  ].filter((found) => found !== undefined && !ofLanguages.test(found)) as string[];
  return [...new Set(suggested)].slice(0, most);
}

/** Name of a frame's function without its hash, closures, generics and place. */
function functionOf(frame: string): string | undefined {
  const name = frame
    .replace(/ \([^()]*\)$/, "")
    .replace(/::h[\da-f]{16}$/, "")
    .replaceAll(/::\{\{?closure\}?\}|::\{closure#\d+\}/g, "")
    .replace(/\(.*$/, "");
  return /^[A-Za-z_][\w:]*$/.test(name) ? name : undefined;
}

const isTest = (functionName: string, test: string): boolean =>
  functionName === test || functionName.endsWith(`::${test}`);
