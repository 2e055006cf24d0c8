/** Compares what was installed with its source: faults of files, servers that only the source starts, parts that were lost. */
import type {
  ComparedPackage,
  FoundParts,
  InstalledPackage,
  InstallFault,
  PackageParts,
  ServerStart,
} from "../../machines/model/install_check.ts";
import { count, oneLine, visibleName } from "../core/text.ts";
import { errorLine, failureOutput, shortened } from "./failure_output.ts";
import type { InstalledTrees, InstallKind } from "./install_kind.ts";

interface Starts {
  source: readonly ServerStart[];
  installed: readonly ServerStart[];
}

const kindsOfParts = ["tools", "skills", "commands", "agents", "hooks", "programs"] as const;

/**
 * Reads both trees; nothing is started.
 * @param byHost names that the host found; they count in place of those that files show
 */
export async function comparePackage(
  kind: InstallKind,
  found: Omit<InstalledTrees, "tools">,
  starts: Starts,
  byHost?: InstalledPackage["found"],
): Promise<ComparedPackage> {
  const started = starts.installed.some(({ tools }) => tools !== undefined);
  const trees = { ...found, tools: started ? toolsOf(starts.installed) : undefined };
  const files = await kind.parts(trees.installed);
  const installed = partsOf(files, starts.installed, byHost?.installed);
  const source = trees.source === undefined
    ? installed
    : partsOf(await kind.parts(trees.source), starts.source, byHost?.source);
  const toolsCompared = byHost?.source !== undefined;
  const faults = [
    ...await kind.inspect(trees),
    ...starts.installed.flatMap((start) => startFaults(kind, start, starts.source, trees.root)),
    ...lostParts(source, installed, toolsCompared || started),
  ];
  const notes = startNotes(kind, starts, trees.root, toolsCompared);
  return { source, installed, faults: withoutRepeats(faults), notes };
}

const partsOf = (
  files: Omit<PackageParts, "tools">,
  starts: readonly ServerStart[],
  found?: FoundParts,
): PackageParts => ({
  ...files,
  ...found,
  tools: [...new Set([...toolsOf(starts), ...found?.tools ?? []])].sort(),
});

/** Words of interpreters for files and modules that are not there. */
const lacksFile = /\bENOENT\b|\bEACCES\b|MODULE_NOT_FOUND|ModuleNotFoundError|FileNotFoundError|ImportError/;

const toolsOf = (starts: readonly ServerStart[]): string[] =>
  [...new Set(starts.flatMap(({ tools = [] }) => tools))].sort();

const labelOf = (name: string): string => name === "" ? "the server" : `the server ${visibleName(name)}`;

function startFaults(
  kind: InstallKind,
  { name, error }: ServerStart,
  sources: readonly ServerStart[],
  root: string,
): InstallFault[] {
  if (error === undefined) return [];
  const source = sources.find((start) => start.name === name);
  if (!kind.declaresServers && source?.tools === undefined) {
    // Without a source, a program that lacks a file is no program of another sort.
    if (source !== undefined || !lacksFile.test(error.output ?? "")) return [];
  }
  const also = source === undefined
    ? "does not start"
    : source.tools === undefined
    ? "does not start, from its source neither"
    : "starts from its source and not from the package";
  return [{
    code: "not-started",
    place: name === "" ? "server" : `server ${visibleName(name)}`,
    message: `${labelOf(name)} ${also}: ${reasonOf(error, root)}`,
    next: source?.tools === undefined && source !== undefined
      ? "Have it start from the source first"
      : "See the output, and the faults of files above",
    ...(error.output === undefined ? {} : { output: failureOutput(error.output, root) }),
  }];
}

const reasonOf = ({ message, output = "" }: NonNullable<ServerStart["error"]>, root: string): string =>
  visibleName(oneLine(shortened(errorLine(output) ?? message, root)), 300);

/** @param toolsListed whether something lists the tools of what was installed; else they are not compared */
function lostParts(source: PackageParts, installed: PackageParts, toolsListed: boolean): InstallFault[] {
  return kindsOfParts.flatMap((part) => {
    if (part === "tools" && !toolsListed) return [];
    const there = new Set(installed[part]);
    return source[part].filter((name) => !there.has(name)).map((name): InstallFault => ({
      code: "part-lost",
      place: `${part}: ${visibleName(name)}`,
      message: `the source has ${part.slice(0, -1)} ${visibleName(name)}, and what was installed has not`,
      next: "Have its files packed, and named where the package looks for them",
    }));
  });
}

function startNotes(
  kind: InstallKind,
  { source, installed }: Starts,
  root: string,
  toolsCompared: boolean,
): string[] {
  const unlike = source.filter(({ error }) => error !== undefined).map(({ name, error }) =>
    `${labelOf(name)} does not start from its source: ${reasonOf(error!, root)}`
  );
  const untold = kind.declaresServers
    ? []
    : installed.filter(({ error }) => error !== undefined).flatMap((start) =>
      startFaults(kind, start, source, root).length > 0
        ? []
        : [`The program of the package is no MCP server, as it seems: ${reasonOf(start.error!, root)}`]
    );
  const lacking = source.some(({ tools }) => tools !== undefined) && installed.length === 0
    ? [`No server was started from the package; the source has ${count(source.length, "server")}`]
    : [];
  const uncompared =
    !toolsCompared && source.length === 0 && installed.some(({ tools }) => tools !== undefined)
      ? ["Tools were not compared: no server was started from the source"]
      : [];
  return [...unlike, ...untold, ...lacking, ...uncompared];
}

/** The same fault may show in several ways. */
function withoutRepeats(faults: readonly InstallFault[]): InstallFault[] {
  const seen = new Map(faults.map((fault) => [`${fault.code} ${fault.place} ${fault.message}`, fault]));
  return [...seen.values()];
}
