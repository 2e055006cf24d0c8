import type { ProjectTest } from "../../machines/model/project_test.ts";

const most = 8;
const longestFrame = 2000;
const ofLanguages =
  /^<?(?:std|core|alloc|test|Result|Option|Vec|String|Box|Rc|Arc|doctest_\w+|__rust\w*|__libc\w*|_start|main|abort|raise|testing|Catch|doctest|boost)\b/;

const keywords =
  /^(?:if|for|while|switch|return|catch|sizeof|alignof|decltype|typeid|noexcept|\w+_cast|int|bool|char|long|double|float|unsigned|Approx|GetParam|exception|fatal)$/;

/**
 * Patterns of functions for the traces of a failed test, best first: those of its frames, those that its message calls
 * by name, and all of the module that the test stands in.
 */
export function suggestFunctions({ name, suite, message, stack }: ProjectTest): string[] {
  // A doc test is named by its file and the item that it documents.
  const documented = /^\S+ - (\w[\w:]*) .*\(line \d+\)$/.exec(name)?.[1];
  if (documented !== undefined) return [documented];
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

/** Patterns of functions that the assertions of a failed test of C or C++ call, in their order. */
export function suggestCalls({ message = "", stack = [] }: ProjectTest): string[] {
  const calls = [
    ...message.slice(0, 20_000).matchAll(
      /(?<![\w:.>"])((?:~?[A-Za-z_]\w*::)*[A-Za-z_]\w*) ?(?:<[\w:, *&]*>)?\(/g,
    ),
  ]
    .map((found) => found[1]!)
    .filter((name) => !/^[A-Z\d_]+$/.test(name) && !keywords.test(name) && !ofLanguages.test(name));
  const frames = stack.map(functionOf).filter((found) =>
    found !== undefined && !ofLanguages.test(found)
  ) as string[];
  return [...new Set([...frames, ...calls])].slice(0, most);
}

/** Name of a frame's function without its hash, closures, type parameters and place, as tracers name it. */
function functionOf(frame: string): string | undefined {
  let name = frame.slice(0, longestFrame)
    .replace(/ \([^()]*\)$/, "")
    .replaceAll("(anonymous namespace)::", "")
    .replace(/::h[\da-f]{16}$/, "")
    .replaceAll(/::\{\{?closure\}?\}|::\{closure#\d+\}/g, "")
    .replace(/^<&*(?:mut )?(.+?) as .+>::(\w+)$/, "$1::$2");
  for (let before = ""; before !== name;) {
    before = name;
    name = name.replaceAll(/(?:::)?<[^<>]*>/g, "");
  }
  name = name.replace(/\(.*$/, "");
  // An implementation for all types is named by a type parameter.
  return /^(?![A-Z]::)[A-Za-z_][\w:]*$/.test(name) ? name : undefined;
}

const isTest = (functionName: string, test: string): boolean =>
  functionName === test || functionName.endsWith(`::${test}`);
