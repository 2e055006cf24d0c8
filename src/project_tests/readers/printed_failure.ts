/** Failures as programs print them in any language: an assertion, a panic, an error of a compiler, with its place. */
import type {
  ProjectTestEvent,
  ProjectTestOutcome,
  TestLocation,
} from "../../../machines/model/project_test.ts";
import { projectPath } from "./project_path.ts";

type NotRun = Extract<ProjectTestEvent, { type: "not_run" }>;

const mostErrors = 50;
const longestLineRead = 2000;

const pythonFrame = /^\s*File "(?<file>[^"]+)", line (?<line>\d+)(?<message>)/;

/** Forms in which a line tells a place, surest first. */
const forms: readonly RegExp[] = [
  // assert() of C, and of others after it
  /^(?:[^\s:]+: )?(?<file>[^\s:()]+):(?<line>\d+): (?<message>.*\bAssertion .*failed\.?.*)$/,
  /panicked at (?<file>[^\s:]+):(?<line>\d+):(?<column>\d+):?(?<message>.*)$/,
  /^(?<file>[^\s:(][^:(]*):(?<line>\d+):(?:(?<column>\d+):)? (?:fatal )?error:? (?<message>.+)$/i,
  /^(?<file>[^\s:(][^:(]*)\((?<line>\d+)(?:,(?<column>\d+))?\): (?:fatal )?error ?(?<message>.*)$/,
  /^(?<file>[^\s:(][^:(]*):(?<line>\d+): (?<message>(?:Failure|FAILED|ERROR)\b.*)$/,
  pythonFrame,
  /\(?(?:file:\/\/)?(?<file>\/?[\w@.+/-]+\.[a-z]{1,5}):(?<line>\d+)(?::(?<column>\d+))?\)?(?<message>)/,
];

interface PrintedPlace {
  place: TestLocation;
  message: string;
}

function placeIn(line: string, root: string, form: RegExp): PrintedPlace | undefined {
  const groups = form.exec(line.slice(0, longestLineRead))?.groups;
  if (groups === undefined) return undefined;
  const { file, line: row, column, message = "" } = groups;
  return {
    place: {
      file: projectPath(root, file!),
      line: Number(row),
      ...column === undefined ? {} : { column: Number(column) },
    },
    message: message.trim(),
  };
}

/**
 * @param output what a failed test printed
 * @param root absolute path of the project's folder
 * @returns the surest place that it tells, and its message; of output that tells none, the last lines as the message
 */
export function printedFailure(output: string, root: string): Pick<ProjectTestOutcome, "message" | "place"> {
  const lines = output.slice(-64 * 1024).split("\n").map((line) => line.trimEnd());
  const tail = lines.filter((line) => line !== "").slice(-20).join("\n");
  const found = surestPlace(lines, root);
  const message = found?.message || tail;
  return {
    ...message === "" ? {} : { message: message.slice(0, 4000) },
    ...found === undefined ? {} : { place: found.place },
  };
}

/** The place in the project that the surest form tells; of a stack, the innermost. */
function surestPlace(lines: string[], root: string): PrintedPlace | undefined {
  let elsewhere: PrintedPlace | undefined;
  for (const form of forms) {
    const found = lines.map((line) => placeIn(line, root, form)).filter((place) => place !== undefined);
    const own = found.filter(({ place: { file } }) => !file.startsWith("/"));
    // Python tells the innermost frame last.
    const surest = form === pythonFrame ? own.at(-1) : own[0];
    if (surest !== undefined) return surest;
    elsewhere ??= found.find(({ message }) => message !== "");
  }
  return elsewhere;
}

/** Errors of compilers, linkers and of CMake in what a build printed. Without any, its last lines are the error. */
export function buildErrors(output: string, root: string): NotRun[] {
  const errors = new Map<string, NotRun>();
  const lines = output.split("\n");
  for (const [at, line] of lines.entries()) {
    if (errors.size >= mostErrors) break;
    const found = placeIn(line, root, forms[2]!) ?? placeIn(line, root, forms[3]!) ??
      linkerError(line, root) ??
      cmakeError(lines, at, root);
    if (found !== undefined) errors.set(JSON.stringify(found), { type: "not_run", ...found });
  }
  if (errors.size > 0) return [...errors.values()];
  const tail = lines.filter((line) => line.trim() !== "").slice(-20).join("\n").slice(-4000);
  return [{ type: "not_run", message: tail === "" ? "The build failed and said nothing" : tail }];
}

function linkerError(line: string, root: string): PrintedPlace | undefined {
  const found =
    /^(?:\S*\bld: )?(?:\S+: )?([^\s:()]+):(?:(\d+)|\([^)]*\)): (undefined reference to .+|multiple definition of .+)$/
      .exec(line.slice(0, longestLineRead));
  if (found === null) return undefined;
  const [, file, row, message] = found;
  return {
    place: { file: projectPath(root, file!), ...row === undefined ? {} : { line: Number(row) } },
    message: message!,
  };
}

function cmakeError(lines: string[], at: number, root: string): PrintedPlace | undefined {
  const found = /^CMake Error at (.+?):(\d+) \(\w+\):$/.exec(lines[at]!.slice(0, longestLineRead));
  if (found === null) return undefined;
  const message: string[] = [];
  for (const line of lines.slice(at + 1, at + 12)) {
    if (line !== "" && !line.startsWith("  ")) break;
    if (line === "" && message.length > 0) break;
    if (line !== "") message.push(line.trim());
  }
  return {
    place: { file: projectPath(root, found[1]!), line: Number(found[2]) },
    message: message.join("\n"),
  };
}
