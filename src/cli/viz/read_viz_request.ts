/** Reads and checks the command line of `pth viz`. */
import { errorMessage } from "../../core/errors.ts";
import { isAbsent, stat } from "../../platform/files.ts";
import { folderProblem } from "../../platform/writable.ts";
import { definedOnly } from "../../core/values.ts";
import type { CommandLine } from "../command.ts";
import { Problems } from "../options/problems.ts";
import { choiceOption, listValue, positiveOption, textValue } from "../options/option_values.ts";

const exportFormats = ["svg", "png", "mermaid", "dot"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface ServeRequest {
  kind: "serve";
  recording?: string;
  /** Id of a session or announcement, or a process id. */
  session?: string;
  machines: boolean;
  port?: number;
  allowSend: boolean;
  open: boolean;
  /** Started by another process. */
  spawned: boolean;
  /** Seconds that the viewer waits for a page to open. */
  idle?: number;
}

export interface ExportRequest {
  kind: "export";
  recording?: string;
  folder: string;
  formats: ExportFormat[];
  /** Ids; all where none is named. */
  machines: string[];
}

/** @throws {PthError} `INVALID_INPUT` with all that is wrong */
export async function readVizRequest(
  { operands, options }: CommandLine,
): Promise<ServeRequest | ExportRequest> {
  const problems = new Problems();
  const recording = operands[0];
  if (recording !== undefined) await checkRecording(recording, problems);
  const folder = textValue(options.export);
  const request = folder === undefined
    ? serveRequest(recording, options, problems)
    : await exportRequest(recording, folder, options, problems);
  problems.throwIfAny(folder === undefined ? "Cannot show" : "Cannot export");
  return request;
}

async function checkRecording(path: string, problems: Problems): Promise<void> {
  try {
    if ((await stat(path)).isDirectory) {
      problems.add(`${path} is a folder; viz needs a file written by --record`);
    }
  } catch (error) {
    problems.add(
      isAbsent(error)
        ? `${path} does not exist; pth run <target> --record ${path} records one`
        : `the recording cannot be read: ${errorMessage(error)}`,
    );
  }
}

function serveRequest(
  recording: string | undefined,
  options: CommandLine["options"],
  problems: Problems,
): ServeRequest {
  for (const name of ["format", "machine"]) {
    if (options[name] !== undefined) problems.add(`--${name} needs --export <folder>`);
  }
  const session = textValue(options.session);
  const machines = options.machines === true;
  const chosen = [recording, session, machines || undefined].filter((one) => one !== undefined);
  if (chosen.length > 1) {
    problems.add("a recording, --session and --machines are mutually exclusive: choose one");
  }
  return {
    kind: "serve",
    ...definedOnly({
      recording,
      session,
      port: portIn(options.port, problems),
      idle: positiveOption("--idle", options.idle, problems, "number"),
    }),
    machines,
    allowSend: options.allowSend === true,
    open: options.open !== false,
    spawned: options.spawned === true,
  };
}

async function exportRequest(
  recording: string | undefined,
  folder: string,
  options: CommandLine["options"],
  problems: Problems,
): Promise<ExportRequest> {
  for (const name of ["session", "machines", "port", "allowSend", "spawned"]) {
    if (options[name] !== undefined) {
      problems.add(`--${dashed(name)} cannot be combined with --export: it applies to the page`);
    }
  }
  const unwritable = await folderProblem(folder);
  if (unwritable !== undefined) problems.add(`--export: cannot write to ${folder}: ${unwritable}`);
  const named = listValue(options.format).flatMap((names) => names.split(",")).map((name) => name.trim());
  const formats = named.flatMap((name) => choiceOption("--format", name, exportFormats, problems) ?? []);
  return {
    kind: "export",
    ...definedOnly({ recording }),
    folder,
    formats: named.length === 0 ? ["svg"] : [...new Set(formats)],
    machines: listValue(options.machine),
  };
}

const dashed = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function portIn(value: unknown, problems: Problems): number | undefined {
  if (value === undefined) return undefined;
  const port = Number(value);
  if (/^\d+$/.test(String(value)) && port >= 1 && port <= 65535) return port;
  problems.add(`--port expects a number from 1 to 65535, not "${value}"`);
  return undefined;
}
