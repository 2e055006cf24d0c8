/** The sources that make a plugin do what it does: not its tests, documents, examples or what builds and deploys it. */
import { folderSources, type PluginSources } from "./plugin_sources.ts";

/** Folders, at any depth, whose code does not run in the server. */
const aside =
  /(?:^|\/)(?:tests?|__tests__|__mocks__|specs?|e2e|docs?|documentation|examples?|samples?|demos?|fixtures?|bench(?:marks?)?|ci|\.github|\.gitlab|\.circleci|docker|deploy(?:ment)?|packaging|ansible|terraform|website|third_party)\//i;
const asideFile =
  /(?:\.(?:test|spec|stories|bench|config)\.[cm]?[jt]sx?|\.d\.[cm]?ts|_test\.(?:py|go|rs|[jt]s)|(?:^|\/)(?:test_[^/]*\.py|conftest\.py|setup\.py|build\.rs|noxfile\.py|Gulpfile\.js))$/i;
const script = /\.(?:sh|bash)$|(?:^|\/)(?:scripts?|tools|hack|contrib|install)\//;
const hook = /(?:^|\/)hooks\//;

/** Files that say what is run, beside the sources themselves. */
const manifests = [".mcp.json", ".claude-plugin/plugin.json", "hooks/hooks.json", "package.json"];

/** Bounds: analysing is to take a moment, also where a plugin is a huge folder. */
const mostFiles = 600;
const mostCharacters = 2_000_000;
/** Of one file: what is longer, or has a line this long, was written by a bundler, and most of it by others. */
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
  for (const path of paths.slice(0, mostFiles)) {
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

/** Of package.json, what runs when the server does: its other scripts are for developers. */
function ran(path: string, text: string): string {
  if (path !== "package.json") return text;
  const kept = /"(?:bin|main|start|postinstall)"\s*:\s*(?:\{[^}]*\}|"[^"]*")/g;
  return [...text.matchAll(kept)].map(([found]) => found).join("\n");
}
