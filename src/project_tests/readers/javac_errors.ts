/** Errors of compilers of the Java VM's languages, as Maven, Gradle and javac itself print them. */
import type { ProjectTestEvent, TestLocation } from "../../../machines/model/project_test.ts";
import { projectPath } from "./project_path.ts";

type NotRun = Extract<ProjectTestEvent, { type: "not_run" }>;

const mostErrors = 50;
const longestLine = 4000;

const forms: readonly RegExp[] = [
  // javac by Maven
  /^\[ERROR\] (?<file>\/[^\s:]+\.\w+):\[(?<line>\d+),(?<column>\d+)\] (?:error: )?(?<message>.+)$/,
  // Kotlin by Gradle and by Maven
  /^(?:e: |\[ERROR\] )(?:file:\/\/)?(?<file>\/[^\s:]+\.kts?):(?: \()?(?<line>\d+)[:,] ?(?<column>\d+)\)?:? (?<message>.+)$/,
  // javac, and Groovy
  /^(?<file>\/?[^\s:]+\.(?:java|groovy|scala)):(?: )?(?<line>\d+): (?:error: )?(?<message>.+)$/,
];

/** Errors of a build with their places; without any, what the build tool names as its cause. */
export function javacErrors(output: string, root: string): NotRun[] {
  const errors = new Map<string, NotRun>();
  let last: NotRun | undefined;
  let since = 0;
  for (const line of output.split("\n").map((one) => one.slice(0, longestLine).trimEnd())) {
    const found = forms.map((form) => form.exec(line)?.groups).find((groups) => groups !== undefined);
    if (found !== undefined) {
      const place: TestLocation = {
        file: projectPath(root, found.file!),
        line: Number(found.line),
        ...(found.column === undefined ? {} : { column: Number(found.column) }),
      };
      const key = `${place.file}:${place.line}`;
      last = errors.get(key) ?? { type: "not_run", place, message: found.message! };
      if (errors.size < mostErrors) errors.set(key, last);
      since = 0;
      continue;
    }
    // javac tells on lines of their own what it did not find and where, after the line of the source.
    const detail = /^(?:\[ERROR\])?\s+((?:symbol|location|required|found|reason):\s.+)$/.exec(line)?.[1];
    if (++since > 6 || detail === undefined || last === undefined || last.message.includes(detail)) continue;
    last.message += `\n${detail}`;
  }
  return errors.size > 0 ? [...errors.values()] : [{ type: "not_run", message: causeIn(output) }];
}

function causeIn(output: string): string {
  const maven = /^\[ERROR\] ((?!Re-run|To see|For more|\[Help|$)[\s\S]+?)(?: -> \[Help|\n\[ERROR\] *$)/m.exec(
    output,
  )?.[1];
  const gradle = /^\* What went wrong:\n([\s\S]+?)\n\n/m.exec(output)?.[1];
  const tail = output.split("\n").filter((line) => line.trim() !== "").slice(-20).join("\n");
  return (maven ?? gradle ?? (tail === "" ? "The build failed and said nothing" : tail))
    .replace(/^\[ERROR\] ?/gm, "").slice(0, longestLine).trim();
}
