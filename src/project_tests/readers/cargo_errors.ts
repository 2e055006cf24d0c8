/** Errors of compilers, with their places, as failures before any test. */
import type { ProjectTestEvent } from "../../../machines/model/project_test.ts";
import { parseObject } from "./parse_object.ts";
import { projectPath } from "./project_path.ts";

type NotRun = Extract<ProjectTestEvent, { type: "not_run" }>;

const mostErrors = 50;

interface RustMessage {
  level?: string;
  message?: string;
  rendered?: string;
  spans?: { file_name?: string; line_start?: number; column_start?: number; is_primary?: boolean }[];
}

/** Reads `--message-format json` of Cargo, and what it says itself where it does not come to compiling. */
export function cargoErrors(root: string, { stdout, stderr }: { stdout: string; stderr: string }): NotRun[] {
  const errors = new Map<string, NotRun>();
  for (const line of stdout.split("\n")) {
    if (errors.size >= mostErrors) break;
    const entry = line.startsWith('{"reason":"compiler-message"') ? parseObject(line) : undefined;
    const message = entry?.message as RustMessage | undefined;
    if (message?.level !== "error" || typeof message.message !== "string") continue;
    const span = message.spans?.find(({ is_primary }) => is_primary) ?? message.spans?.[0];
    if (span === undefined && /^aborting due to /.test(message.message)) continue;
    const folder = String(entry?.manifest_path ?? "").replace(/\/[^/]*$/, "") || root;
    const found: NotRun = {
      type: "not_run",
      ...span?.file_name === undefined ? {} : {
        place: {
          file: projectPath(root, span.file_name, folder),
          ...span.line_start === undefined ? {} : { line: span.line_start },
          ...span.column_start === undefined ? {} : { column: span.column_start },
        },
      },
      message: (message.rendered ?? message.message).trim().slice(0, 4000),
    };
    // A library is compiled for itself and for its tests, and says the same twice.
    errors.set(JSON.stringify([found.place, message.message]), found);
  }
  return errors.size > 0 ? [...errors.values()] : [cargoError(root, stderr)];
}

/** The error of Cargo itself: a manifest that cannot be read, a package that cannot be had. */
function cargoError(root: string, stderr: string): NotRun {
  const from = stderr.search(/^error(?:\[E\d+\])?: /m);
  const message = (from < 0 ? stderr : stderr.slice(from)).trim().slice(0, 4000);
  const place = /--> (.+?):(\d+):(\d+)/.exec(message);
  const manifest = /failed to (?:parse|load) manifest[^\n]*at `([^`\n]+)`/.exec(message)?.[1];
  const file = place?.[1] ?? manifest;
  return {
    type: "not_run",
    ...file === undefined ? {} : {
      place: {
        file: projectPath(root, file),
        ...place === null ? {} : { line: Number(place[2]), column: Number(place[3]) },
      },
    },
    message: message === "" ? "Cargo failed and said nothing" : message,
  };
}
