/** The plugin's own source files, read from the session's copy, as lines. */
import { posix } from "node:path";
import { type ConfinedFolder, type ListedEntry, openConfined } from "../platform/confined/open_confined.ts";

/** Source folder as a diagnosis reads it; tests make one of texts. */
export interface PluginSources {
  /** Paths of source files, sorted; neither dependencies nor build output where there is something else. */
  list(): Promise<string[]>;
  /** Text of a file within the folder, or undefined where there is none. */
  read(path: string): Promise<string | undefined>;
}

const maxFiles = 3000;
const maxBytes = 1024 * 1024;
const foreign =
  /^(node_modules|\.git|\.venv|venv|env|site-packages|__pycache__|target|vendor|coverage|\.pth|\.tox|\.mypy_cache|\.pytest_cache|.*\.egg-info)$/;
const built = /^(?:dist|build|out|lib-cov|\.next)\/|\/dist\/.*\.[cm]?jsx?$/;
const source = /\.([cm]?[jt]sx?|py|rs|go|rb|java|kt|php|c|cc|cpp|h|hpp|cs|sh)$/;

/** Whether a path inside the plugin's folder is third-party code. */
export const isThirdParty = (path: string): boolean =>
  path.split("/").slice(0, -1).some((part) => foreign.test(part));

/** Whether a path is where compilers and bundlers put what they make. */
export const isBuildOutput = (path: string): boolean => built.test(path);

/** Sources of a folder on the host. A link that leads out of the folder is not followed: the plugin may have made it. */
export function folderSources(folder: string): PluginSources {
  const texts = new Map<string, Promise<string | undefined>>();
  let listed: Promise<string[]> | undefined;
  const files = openConfined(folder);
  return {
    list: () => listed ??= listSources(files),
    read(path) {
      const known = texts.get(path);
      if (known) return known;
      const text = readWithin(files, path);
      texts.set(path, text);
      return text;
    },
  };
}

/** Makes sources of texts. */
export const textSources = (files: Record<string, string>): PluginSources => ({
  list: () => Promise.resolve(ownFirst(Object.keys(files).filter((path) => source.test(path)))),
  read: (path) => Promise.resolve(files[path]),
});

/** Chooses the sources among all paths of a folder, as `list` answers them. */
export const chosenSources = (paths: readonly string[]): string[] =>
  ownFirst(
    paths.filter((path) => source.test(path) && !isThirdParty(path)).slice(0, maxFiles),
  );

async function listSources(folder: ConfinedFolder): Promise<string[]> {
  const found: string[] = [];
  const queue = [""];
  while (queue.length > 0 && found.length < maxFiles) {
    const at = queue.shift()!;
    for (const entry of await entriesOf(folder, at)) {
      const path = posix.join(at, entry.name);
      if (entry.kind === "folder" && !foreign.test(entry.name)) queue.push(path);
      else if (entry.kind === "file" && source.test(entry.name)) found.push(path);
    }
  }
  return ownFirst(found);
}

async function entriesOf(folder: ConfinedFolder, at: string): Promise<ListedEntry[]> {
  try {
    return await folder.list(at);
  } catch {
    // A folder that a build made unreadable holds nothing that the author wrote.
    return [];
  }
}

/** Leaves out built files, unless there are no others. */
function ownFirst(paths: string[]): string[] {
  const own = paths.filter((path) => !built.test(path) && !path.endsWith(".d.ts"));
  return (own.length > 0 ? own : paths).sort();
}

async function readWithin(files: ConfinedFolder, path: string): Promise<string | undefined> {
  try {
    return await files.readText(path, { followWithin: true, maxBytes });
  } catch {
    // A place that output names may be no file, or none that can be read: it is then no place in the source.
    return undefined;
  }
}

/** Folders, at any depth, whose code does not run in the server. */
const aside =
  /(?:^|\/)(?:tests?|__tests__|__mocks__|specs?|e2e|docs?|documentation|examples?|samples?|demos?|fixtures?|bench(?:marks?)?|ci|\.github|\.gitlab|\.circleci|docker|deploy(?:ment)?|packaging|ansible|terraform|website|third_party)\//i;

const asideFile =
  /(?:\.(?:test|spec|stories|bench|config)\.[cm]?[jt]sx?|\.d\.[cm]?ts|_test\.(?:py|go|rs|[jt]s)|(?:^|\/)(?:test_[^/]*\.py|conftest\.py|setup\.py|build\.rs|noxfile\.py|Gulpfile\.js))$/i;

const script = /\.(?:sh|bash)$|(?:^|\/)(?:scripts?|tools|hack|contrib|install)\//;

const hook = /(?:^|\/)hooks\//;

/** Manifests that say what is run. */
const manifests = [".mcp.json", ".claude-plugin/plugin.json", "hooks/hooks.json", "package.json"];

/** Bounds: analysing is to take a moment, also where a plugin is a huge folder. */
const mostFiles = 600;

const mostCharacters = 2_000_000;

const readAtOnce = 40;

/** Limits on one file: longer files, and those with longer lines, were written by a bundler. */
const longestFile = 400_000;

const longestLine = 5000;

export interface OwnFile {
  /** Relative to the folder, with "/". */
  path: string;
  text: string;
}

/**
 * Own files of a folder on the host, sorted by path. Scripts count where something that runs names them: most of them set up
 * a developer's machine, or the one that the server is deployed to.
 */
export async function ownFiles(
  folder: string,
  sources: PluginSources = folderSources(folder),
): Promise<OwnFile[]> {
  const paths = (await sources.list()).filter((path) => !aside.test(path) && !asideFile.test(path));
  const files: OwnFile[] = [];
  let room = mostCharacters;
  for (const [at, path] of paths.slice(0, mostFiles).entries()) {
    // Files that are asked for at once are read by one command inside, and each is kept: only the first waits.
    if (at % readAtOnce === 0) await Promise.all(paths.slice(at, at + readAtOnce).map(sources.read));
    const text = await sources.read(path);
    if (text === undefined || text.length > Math.min(room, longestFile) || isBundle(text)) continue;
    room -= text.length;
    files.push({ path, text });
  }
  const naming = [
    ...files.filter(({ path }) => !script.test(path)).map(({ text }) => text),
    ...await Promise.all(manifests.map(async (path) => ran(path, await sources.read(path) ?? ""))),
  ];
  const isNamed = (path: string) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return hook.test(path) || naming.some((text) => text.includes(name));
  };
  return files.filter(({ path }) => !script.test(path) || isNamed(path));
}

const isBundle = (text: string): boolean => {
  for (let from = 0; from < text.length;) {
    const end = text.indexOf("\n", from);
    const to = end < 0 ? text.length : end;
    if (to - from > longestLine) return true;
    from = to + 1;
  }
  return false;
};

/** Parts of package.json that run with the server; its other scripts are for developers. */
function ran(path: string, text: string): string {
  if (path !== "package.json") return text;
  const kept = /"(?:bin|main|start|postinstall)"\s*:\s*(?:\{[^}]*\}|"[^"]*")/g;
  return [...text.matchAll(kept)].map(([found]) => found).join("\n");
}
