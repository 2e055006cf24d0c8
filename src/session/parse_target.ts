/** Reads what the user typed as a target: a folder, an npm package, or nothing but a command. */
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, resolve } from "node:path";
import type { SessionTarget } from "../../machines/model/session.ts";
import { errorMessage, PthError } from "../core/errors.ts";
import { isNotFound, readDir, realPath, stat } from "../platform/files.ts";
import { cwd } from "../platform/host.ts";

export type ParsedTarget =
  | { kind: "folder"; path: string }
  | { kind: "npm"; package: string; version?: string }
  | { kind: "empty" };

const packageName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i;
/** A version, range or tag; no URL, path or alias. */
const packageVersion = /^[\w.^~<>=|*+ -]+$/;

/** @throws {PthError} `TARGET_NOT_FOUND` saying what was looked at, `INVALID_INPUT` for what cannot be a plugin */
export async function parseTarget({ target, command, url }: SessionTarget): Promise<ParsedTarget> {
  if (target === undefined || target.trim() === "") {
    if (command !== undefined || url !== undefined) return { kind: "empty" };
    throw new PthError(
      "INVALID_INPUT",
      "Cannot tell what to test: neither a target nor a command was given",
      {
        next: [{
          terminal: "Name a folder, npm:<package>[@version], or --command",
          mcp: "Name a folder or npm:<package>[@version], or give command",
        }],
      },
    );
  }
  if (target.startsWith("npm:")) return parseNpm(target.slice("npm:".length).trim());
  if (/^(https?|git|ssh):\/\/|^git@/.test(target)) throw remoteTarget(target);
  return { kind: "folder", path: await checkFolder(target) };
}

function parseNpm(text: string): ParsedTarget {
  const at = text.indexOf("@", 1);
  const name = at === -1 ? text : text.slice(0, at);
  const version = at === -1 ? undefined : text.slice(at + 1);
  if (!packageName.test(name) || name.length > 214) {
    throw new PthError("INVALID_INPUT", `Cannot read npm:${text}: "${name}" is not a package name`, {
      next: ["Write npm:<package> or npm:<package>@<version>, for example npm:@scope/server@1.2.0"],
    });
  }
  if (version !== undefined && !packageVersion.test(version)) {
    throw new PthError(
      "INVALID_INPUT",
      `Cannot read npm:${text}: "${version}" is not a version, range or tag`,
      {
        next: ["Write npm:<package>@<version>, for example npm:@scope/server@1.2.0"],
      },
    );
  }
  return { kind: "npm", package: name, ...(version === undefined ? {} : { version }) };
}

async function checkFolder(target: string): Promise<string> {
  const path = resolve(cwd(), target.replace(/^~(?=\/|$)/, homedir()));
  const info = await statOrNotFound(path, target);
  if (!info.isDirectory) throw fileTarget(path);
  const real = await realPath(path);
  if (real === "/" || real === await realPath(homedir()).catch(() => homedir())) {
    throw new PthError(
      "INVALID_INPUT",
      `Cannot test ${path}: that is a home or root folder, not a plugin's`,
      {
        next: ["Name the plugin's own folder"],
      },
    );
  }
  for await (const _ of readDir(real)) return real;
  throw new PthError("TARGET_NOT_FOUND", `Cannot test ${path}: the folder is empty`, {
    tried: [path],
    next: ["Name the folder that holds the plugin's files"],
  });
}

async function statOrNotFound(path: string, target: string) {
  try {
    return await stat(path);
  } catch (cause) {
    const code = (cause as { code?: string }).code;
    if (!isNotFound(cause) && code !== "ENOTDIR" && code !== "ENAMETOOLONG") throw unreadable(path, cause);
    throw new PthError("TARGET_NOT_FOUND", `Cannot find ${target}: there is no such folder`, {
      tried: [path],
      next: [
        ...(packageName.test(target) && !isAbsolute(target) ? [`For the npm package: npm:${target}`] : []),
        {
          terminal: "Name an existing folder, npm:<package>[@version], or --command",
          mcp: "Name an existing folder or npm:<package>[@version], or give command",
        },
      ],
    }, { cause });
  }
}

const unreadable = (path: string, cause: unknown) =>
  new PthError("TARGET_NOT_FOUND", `Cannot read ${path}: ${errorMessage(cause)}`, {
    tried: [path],
    next: ["See that this user may read the folder, and those above it"],
  }, { cause });

function fileTarget(path: string): PthError {
  const starter = [["py", "python3"], ["js", "node"], ["mjs", "node"], ["cjs", "node"], ["sh", "sh"]]
    .find(([ending]) => path.endsWith(`.${ending}`))?.[1];
  const command = starter === undefined ? `./${basename(path)}` : `${starter} ${basename(path)}`;
  return new PthError("TARGET_NOT_FOUND", `Cannot test ${path}: it is a file, a folder is needed`, {
    tried: [path],
    next: [{
      terminal: `Name its folder and how it is started: ${dirname(path)} --command "${command}"`,
      mcp: `Name its folder and how it is started: pth_start_session({ pluginPath: ${
        JSON.stringify(dirname(path))
      }, command: ${JSON.stringify(command.split(" "))} })`,
    }],
  });
}

const remoteTarget = (target: string) =>
  new PthError("TARGET_NOT_FOUND", `Cannot test ${target}: PTH does not download repositories`, {
    next: ["Clone it, and name the folder", {
      terminal: "For a server that runs already: --url",
      mcp: "For a server that runs already: url",
    }],
  });
