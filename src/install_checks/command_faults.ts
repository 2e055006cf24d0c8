/** Files that the commands of a plugin name: there, within the plugin, and with a run bit where they are started themselves. */
import { posix } from "node:path";
import type { InstallFault } from "../../machines/model/install_check.ts";
import { visibleName } from "../core/text.ts";
import type { PluginCommand } from "./claude_manifest.ts";
import { type PackageTrees, pathFault } from "./path_fault.ts";

interface CommandRules {
  /** Name of the variable that stands for the plugin's folder: `CLAUDE_PLUGIN_ROOT`. */
  root: string;
  packing: string;
  sourceRoot: string | undefined;
}

export interface CommandFiles {
  faults: InstallFault[];
  /** Files of the package that the commands name. */
  files: string[];
}

const script = /\.(?:[cm]?[jt]s|py|sh|bash|rb|pl)$/;
/** Folders that differ from one machine to the other. */
const personal = /^(?:\/home\/|\/Users\/|\/root\/|\/tmp\/|\/workspaces?\/|[A-Za-z]:[\\/])/;

/** Checks each command's words; what a shell reads is looked through for references. */
export async function commandFaults(
  commands: readonly PluginCommand[],
  trees: PackageTrees,
  { root, packing, sourceRoot }: CommandRules,
): Promise<CommandFiles> {
  const reference = new RegExp(String.raw`\$\{?${root}\}?["']?\/([^\s"'${"`"};|&)<>$]+)`, "g");
  const faults: InstallFault[] = [];
  const files = new Set<string>();
  for (const { place, words, shell } of commands) {
    for (const [index, word] of words.entries()) {
      for (const found of word.matchAll(reference)) {
        const path = posix.normalize(found[1]!);
        const fault = pathFault({ place, path, packing }, trees);
        if (fault !== undefined) faults.push(fault);
        else {
          files.add(path);
          const started = index === 0 && /^["']?$/.test(word.slice(0, found.index));
          if (started) faults.push(...await runFaults(path, place, trees));
        }
      }
      const parts = shell ? word.split(/[\s"'`;|&()<>]+/) : [word];
      for (const part of parts) {
        if (personal.test(part) || (sourceRoot !== undefined && part.startsWith(`${sourceRoot}/`))) {
          faults.push(pathFault({ place, path: part, packing }, trees)!);
        } else if (isOwn(part, index, shell, trees)) {
          faults.push({
            code: "wrong-path",
            place,
            message: `${visibleName(part)} is looked for in the user's project, not in the plugin`,
            next: `Write \${${root}}/${visibleName(posix.normalize(part))}`,
          });
        }
      }
    }
  }
  return { faults, files: [...files] };
}

/** A path without a folder before it that means a script of the plugin. */
function isOwn(word: string, index: number, shell: boolean, { source, installed }: PackageTrees): boolean {
  if (!script.test(word) || word.startsWith("/") || word.startsWith("-") || word.includes("$")) return false;
  const there = installed.has(word) || source?.has(word) === true;
  return there && (shell || index > 0 || word.includes("/"));
}

/** A file that is started itself needs its run bit, and a line that names its interpreter. */
async function runFaults(path: string, place: string, { installed }: PackageTrees): Promise<InstallFault[]> {
  const faults: InstallFault[] = [];
  if (installed.entries.get(path)?.kind === "file") {
    faults.push({
      code: "no-run-bit",
      place,
      message: `${visibleName(path)} is started and has no run bit`,
      next: `chmod +x ${visibleName(path)} (git add --chmod=+x), or start it with its interpreter`,
    });
  }
  const text = script.test(path) ? await installed.read(path) : undefined;
  if (text !== undefined && !/^#!.*[^\r]\n/.test(text)) {
    const crlf = /^#!.*\r\n/.test(text);
    faults.push({
      code: "no-run-bit",
      place: `${visibleName(path)}:1`,
      message: crlf ? "the #! line ends with a carriage return" : "the file is started and has no #! line",
      next: crlf ? "Save the file with LF line ends" : "Begin it with #! and its interpreter",
    });
  }
  return faults;
}
