/** Frames as languages print them: which are the project's own, where they are, and what they are in. */
import { relative } from "node:path/posix";
import { fileURLToPath } from "node:url";
import type { TestLocation } from "../../machines/model/project_test.ts";

export interface PrintedFrame {
  /** Absent for code outside of any function. */
  function?: string;
  place?: TestLocation;
}

/** JavaScript `at f (file:///a.js:1:2)`, Java `at a.B.c(B.java:3)`, Python `File "a.py", line 1, in f`, `a.rb:1:in 'f'`. */
const forms: readonly RegExp[] = [
  /^(?:at )?(?:async )?(?<function>.+?) \((?<file>[^()]+?):(?<line>\d+)(?::(?<column>\d+))?\)$/,
  /^at (?<function>[\w$.<>/@]+)\((?<file>[\w$.-]+\.\w+):(?<line>\d+)\)$/,
  /^File "(?<file>[^"]+)", line (?<line>\d+)(?:, in (?<function>.+))?$/,
  /^(?:# )?(?<file>[^\s:][^:]*):(?<line>\d+):in [\x60'](?<function>.+)'$/,
  /^(?:at |# )?(?:async )?(?<file>(?:file:\/\/)?[^\s:()][^:()]*):(?<line>\d+)(?::(?<column>\d+))?$/,
];

/** Reads one line of a stack; a line that is none has neither function nor place. */
export function frameOf(text: string, root?: string): PrintedFrame {
  const line = text.slice(0, 2000).trim();
  for (const form of forms) {
    const groups = form.exec(line)?.groups;
    if (groups === undefined) continue;
    const { function: named, file, line: row, column } = groups;
    return {
      ...(named === undefined ? {} : { function: named }),
      place: {
        file: root === undefined ? file! : pathWithin(file!, root),
        line: Number(row),
        ...(column === undefined ? {} : { column: Number(column) }),
      },
    };
  }
  return {};
}

/** Path relative to the project's folder where it lies within, else as it is; file URLs become paths. */
export function pathWithin(file: string, root: string): string {
  const path = file.startsWith("file://") ? pathOfUrl(file) : file;
  if (!path.startsWith("/")) return path.replace(/^\.\//, "");
  const within = relative(root, path);
  return within === "" || within.startsWith("../") || within === ".." ? path : within;
}

function pathOfUrl(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    // Printed by a test, and no address of a file.
    return url;
  }
}

const foreign =
  /(^|\/)(node_modules|site-packages|dist-packages|vendor|gems|\.venv|venv)\/|^node:|^deno:|^ext:/;

/** True for a path as `pathWithin` gives it that is of the project and of no dependency. */
export const isOwnPath = (path: string): boolean =>
  !path.startsWith("/") && !/^\w+:/.test(path) && !foreign.test(path);

/** Place of the innermost frame that is the project's own. */
export function ownPlace(stack: readonly string[], root: string): TestLocation | undefined {
  for (const text of stack) {
    const { place } = frameOf(text, root);
    if (place !== undefined && isOwnPath(place.file)) return place;
  }
  return undefined;
}

/** First place in a text of any kind that is the project's own, else the first that is named at all. */
export function placeInText(text: string, root: string): TestLocation | undefined {
  let first: TestLocation | undefined;
  const pattern =
    /File "(?<python>[^"\n]+)", line (?<row>\d+)|(?<file>(?:file:\/\/)?[\w./@+-]*[\w@+-]\.[a-z]\w{0,5}):(?<line>\d+)(?::(?<column>\d+))?/gi;
  for (const { groups } of text.slice(0, 64_000).matchAll(pattern)) {
    const { python, row, file, line, column } = groups!;
    const place = {
      file: pathWithin(python ?? file!, root),
      line: Number(row ?? line),
      ...(column === undefined ? {} : { column: Number(column) }),
    };
    if (isOwnPath(place.file)) return place;
    first ??= place;
  }
  return first;
}

const unnamed =
  /<anonymous>|^<|^(?:eval|Promise)$|^block in|^main$|^test_|^to(?:Be|Equal|Match|Throw|Have|Contain|Strict)|[\s\x60'"]/;

const script = /\.[cm]?[jt]sx?$/;

/**
 * Name of a method alone: V8 has the type of the object before it, which may be another than that of the class, and `new X` also
 * where X has no constructor of its own.
 */
const scriptFunction = (name: string): string =>
  /^new /.test(name)
    ? "constructor"
    : name.replace(/ \[as .+\]$/, "").replace(/^(?:async|get|set) /, "").replace(/^.*\./, "");

const ofJava = /\.(?:java|kt|groovy|scala)$/;

/** Name of a method without its module; that of the method which a lambda is in. */
const javaMethod = (name: string): string =>
  name.replace(/^.*\//, "")
    .replace(/\.lambda\$(\w+)\$\d+$/, (_all, method: string) => method === "new" ? ".<init>" : `.${method}`)
    .replace(/^.*\.(?:static|<clinit>)$/, "");

/**
 * Functions of the project's own frames, innermost first, as they are worth a trace; at most five.
 * @param stack frames with paths relative to the project's folder
 */
export function functionsToTrace(stack: readonly string[] = []): string[] {
  const names = stack.map((text) => frameOf(text)).map(({ function: name = "", place }) => {
    if (place === undefined || !isOwnPath(place.file)) return "";
    return script.test(place.file) ? scriptFunction(name) : ofJava.test(place.file) ? javaMethod(name) : name;
  });
  return [...new Set(names.filter((name) => name !== "" && !unnamed.test(name)))].slice(0, 5);
}
