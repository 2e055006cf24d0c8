/** Failures of Go's tests, as they print them: what was logged, or a panic with its frames. */
import type { ProjectTestOutcome, TestLocation } from "../../../machines/model/project_test.ts";
import { projectPath } from "./project_path.ts";

const mostFrames = 30;

/**
 * @param output what the test printed
 * @param root absolute path of the project's folder
 * @param folder absolute path of the package's, in which files are named without one; absent: unknown
 */
export function goFailure(
  output: string,
  root: string,
  folder: string | undefined,
): Pick<ProjectTestOutcome, "message" | "place" | "stack"> {
  const lines = output.split("\n");
  const panic = lines.findIndex((line) => /^(?:panic: |fatal error: )/.test(line));
  if (panic >= 0) return panicFrom(lines.slice(panic), root);
  const logged: string[] = [];
  let place: TestLocation | undefined;
  for (const line of lines) {
    const found = /^ +([\w.-]+\.go):(\d+): (.*)$/.exec(line);
    if (found !== null) {
      place = { file: projectPath(root, found[1]!, folder), line: Number(found[2]) };
      logged.push(found[3]!);
    } else if (logged.length > 0 && /^ {8}/.test(line)) logged.push(line.slice(8));
  }
  // An example that printed something else logs nothing.
  const message = logged.length > 0
    ? logged.join("\n")
    : /^got:\n[\s\S]*?\nwant:\n[\s\S]*/m.exec(output)?.[0];
  return {
    ...message === undefined ? {} : { message: message.trim() },
    ...place === undefined ? {} : { place },
  };
}

function panicFrom(lines: string[], root: string): ReturnType<typeof goFailure> {
  const end = lines.findIndex((line) => line.startsWith("goroutine "));
  const message = lines.slice(0, end < 0 ? 5 : end).join("\n").trim();
  const stack: string[] = [];
  let place: TestLocation | undefined;
  for (let at = end + 1; end >= 0 && at + 1 < lines.length && stack.length < mostFrames; at += 2) {
    const name = lines[at]!.replace(/^created by /, "").replace(/\([^()]*\)$/, "");
    const found = /^\t(.+\.go):(\d+)/.exec(lines[at + 1]!);
    if (found === null) break;
    if (/^(?:testing|runtime|panic|reflect|os)(?:[./]|$)/.test(name)) continue;
    const file = projectPath(root, found[1]!);
    stack.push(`${name} (${file}:${found[2]})`);
    if (place === undefined && !file.startsWith("/")) place = { file, line: Number(found[2]) };
  }
  return {
    message,
    ...place === undefined ? {} : { place },
    ...stack.length === 0 ? {} : { stack },
  };
}
