/** Failures of Java, Kotlin, Groovy and Scala: a stack names the files of its frames without their folders. */
import type { ProjectTestOutcome } from "../../../machines/model/project_test.ts";

const mostFrames = 50;
/** Frames that are kept of a stack in which nothing is the project's own. */
const foreignFrames = 10;
const frame = /^\s*at (?:[\w.@-]*\/)*(?<function>[\w$.<>]+)\((?<file>[\w$-]+\.\w+):(?<line>\d+)\)/;
const assertions =
  /^(?:org\.opentest4j\.\w+|org\.junit\.ComparisonFailure|junit\.framework\.\w+|java\.lang\.AssertionError): (?=\S)/;

/** Paths of the project's own sources by the names of their files. */
export type JavaSources = ReadonlyMap<string, readonly string[]>;

export const javaSourceFile = /\.(?:java|kt|groovy|scala)$/;

/** @param paths relative to the project's folder */
export function javaSources(paths: readonly string[]): JavaSources {
  const found = new Map<string, string[]>();
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    found.set(name, [...found.get(name) ?? [], path]);
  }
  return found;
}

/**
 * Reads a stack as `printStackTrace` prints it: the message with those of its causes, and the frames up to the outermost that
 * is the project's own, whose files get their paths.
 */
export function javaFailure(
  trace: string,
  sources: JavaSources,
): Pick<ProjectTestOutcome, "message" | "stack"> {
  const lines = trace.split("\n").map((line) => line.trimEnd());
  const first = lines.findIndex((line) => frame.test(line) || /^\s+(?:at |\.\.\. \d+ )/.test(line));
  const message = (first < 0 ? lines : lines.slice(0, first)).join("\n").trim().replace(assertions, "");
  const causes = lines.filter((line) => line.startsWith("Caused by: "));
  const frames: string[] = [];
  let own = 0;
  for (const line of lines) {
    const groups = frame.exec(line)?.groups;
    if (groups === undefined) continue;
    const { function: named, file, line: row } = groups;
    const path = pathOf(named!, file!, sources);
    frames.push(path === undefined ? `${named}(${file}:${row})` : `at ${named} (${path}:${row})`);
    if (path !== undefined) own = frames.length;
    if (frames.length === mostFrames) break;
  }
  return { message: [message, ...causes].join("\n"), stack: frames.slice(0, own || foreignFrames) };
}

/** The file lies in the folders of its class's package; those of Kotlin and others may lie elsewhere, where there is only one. */
function pathOf(named: string, file: string, sources: JavaSources): string | undefined {
  const candidates = sources.get(file) ?? [];
  const folders = named.split(".").slice(0, -2);
  const end = [...folders, file].join("/");
  return candidates.find((path) => path === end || path.endsWith(`/${end}`)) ??
    (candidates.length === 1 && !file.endsWith(".java") ? candidates[0] : undefined);
}
