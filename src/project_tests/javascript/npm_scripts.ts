/** Commands of package.json's scripts that start a test tool, with the arguments that their author gave it. */
import type { TestCommand, TestLevel } from "../../../machines/model/project_test.ts";
import type { ReadableFolder } from "../../plugin/readable_folder.ts";
import { readPackageJson } from "../../plugin/package_json.ts";
import { isLevelName } from "../test_levels.ts";
import { shellCommands, type ShellWord } from "./shell_words.ts";

/** One start of a tool in a script. */
export interface ToolStart {
  /** Name of the script. */
  script: string;
  /** Command lines of the script that come before. */
  before: string[];
  /** Text up to the tool, and with it: `NODE_ENV=test npx mocha`. */
  head: string;
  /** Words behind the tool, as they are written. */
  args: ShellWord[];
}

/** Programs that start another one with the words behind them. */
const wrappers = /^(?:npx|pnpx|bunx|cross-env|cross-env-shell|c8|nyc|dotenv|env|exec|node|pnpm|yarn|time)$/;
const mostScripts = 20;

/** Scripts by name; none where package.json is missing or cannot be read. */
export async function scriptsOf(folder: ReadableFolder): Promise<Record<string, string>> {
  const { scripts } = await manifestOf(folder);
  return Object.fromEntries(Object.entries(scripts ?? {}).filter(([, text]) => typeof text === "string"));
}

/** package.json as an object; empty where it is missing or is no JSON, which npm itself complains about. */
export async function manifestOf(folder: ReadableFolder) {
  try {
    return await readPackageJson(folder) ?? {};
  } catch (_noJson) {
    return {};
  }
}

/** True if the package names it among its dependencies of any kind. */
export async function dependsOn(folder: ReadableFolder, name: string): Promise<boolean> {
  const { dependencies, devDependencies, peerDependencies, optionalDependencies } = await manifestOf(folder);
  return [dependencies, devDependencies, peerDependencies, optionalDependencies]
    .some((list) => typeof list === "object" && list !== null && Object.hasOwn(list, name));
}

/**
 * Starts of a tool in the script of that level, or in `test`; scripts that scripts run are followed.
 * @param fits says of the words of a command, from one on, whether it starts the tool
 */
export async function toolStarts(
  folder: ReadableFolder,
  fits: (words: readonly string[]) => boolean,
  level?: TestLevel,
): Promise<ToolStart[]> {
  return startsInScripts(await scriptsOf(folder), fits, level);
}

/** Starts of a tool in scripts by name, or in tasks that are written as these are. */
export function startsInScripts(
  scripts: Readonly<Record<string, string>>,
  fits: (words: readonly string[]) => boolean,
  level?: TestLevel,
): ToolStart[] {
  const names = level === undefined
    ? ["test"]
    : Object.keys(scripts).filter((name) => isLevelName(name, level));
  const seen = new Set<string>();
  return names.flatMap((name) => startsIn(name, []));

  function startsIn(name: string, added: ShellWord[]): ToolStart[] {
    const text = scripts[name];
    if (text === undefined || seen.has(name) || seen.size >= mostScripts) return [];
    seen.add(name);
    const starts: ToolStart[] = [];
    const before = scripts[`pre${name}`] === undefined ? [] : [scripts[`pre${name}`]!];
    for (const words of shellCommands(text)) {
      const others = scriptsRunBy(words, Object.keys(scripts));
      const at = toolAt(words, fits);
      if (others !== undefined) {
        const found = others.names.flatMap((other) => startsIn(other, [...others.args, ...added]));
        starts.push(...found.map((start) => ({ ...start, before: [...before, ...start.before] })));
        if (found.length > 0) continue;
      }
      const line = words.map(({ raw }) => raw).join(" ");
      if (at === undefined) before.push(line);
      else {
        const head = words.slice(0, at + 1).map(({ raw }) => raw).join(" ");
        starts.push({ script: name, before: [...before], head, args: [...words.slice(at + 1), ...added] });
      }
    }
    return starts;
  }
}

function toolAt(
  words: readonly ShellWord[],
  fits: (words: readonly string[]) => boolean,
): number | undefined {
  let wrapped = false;
  for (const [at, { text }] of words.entries()) {
    if (fits(words.slice(at).map((word) => word.text))) return at;
    if (/^\w+=/.test(text)) continue;
    if (wrappers.test(text)) wrapped = true;
    else if (!wrapped) return undefined;
  }
  return undefined;
}

/** Base name of a word that starts a program: `node_modules/mocha/bin/mocha.js` is `mocha`. */
export const programName = (word: string): string => word.replace(/^.*\//, "").replace(/\.[cm]?js$/, "");

/** Text of the file that a start of `node` runs; undefined where its words do not tell one of the project. */
export async function fileRunBy({ args }: ToolStart, folder: ReadableFolder): Promise<string | undefined> {
  const texts = args.map(({ text }) => text);
  const file = texts.find((text, at) =>
    !text.startsWith("-") && !/^(?:-r|--require|--import|--loader)$/.test(texts[at - 1] ?? "")
  );
  if (file === undefined || /[*{$]|^\/|\.\./.test(file)) return undefined;
  const path = file.replace(/^\.\/|\/$/g, "");
  const ways = /\.[cm]?[jt]s$/.test(path) ? [path] : [`${path}.js`, `${path}/index.js`];
  for (const way of ways) {
    const text = await folder.read(way);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Scripts that a command such as `npm run unit`, `yarn unit` or `run-s unit "e2e:*"` runs. */
function scriptsRunBy(
  words: readonly ShellWord[],
  known: readonly string[],
): { names: string[]; args: ShellWord[] } | undefined {
  const texts = words.map(({ text }) => text);
  const program = texts[0] ?? "";
  const split = texts.indexOf("--");
  const own = texts.slice(1, split < 0 ? undefined : split).filter((text) => !text.startsWith("-"));
  const args = split < 0 ? [] : words.slice(split + 1);
  if (/^(?:run-s|run-p|npm-run-all\d?|run-z)$/.test(program)) {
    return { names: own.flatMap((pattern) => known.filter((name) => matches(name, pattern))), args };
  }
  if (!/^(?:npm|yarn|pnpm|bun|deno)$/.test(program)) return undefined;
  const isNamed = /^(?:run|run-script|task)$/.test(own[0] ?? "");
  // These have a test runner of their own behind `test`.
  if (!isNamed && (program === "bun" || program === "deno")) return undefined;
  const name = isNamed ? own[1] : own[0] === "t" ? "test" : own[0];
  return name !== undefined && known.includes(name) ? { names: [name], args } : undefined;
}

const matches = (name: string, pattern: string) =>
  new RegExp(
    `^${
      pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("**", ".*").replace(/(?<!\.)\*/g, "[^:]*")
    }$`,
  ).test(name);

/** Runs a command line as npm runs a script: by a shell, with the programs of the dependencies found first. */
export const asScript = (line: string, env: Record<string, string> = {}): TestCommand => ({
  argv: [
    "sh",
    "-c",
    `PATH="$PWD/node_modules/.bin:$PWD/../node_modules/.bin:$PWD/../../node_modules/.bin:$PATH"\n${line}`,
  ],
  ...(Object.keys(env).length === 0 ? {} : { env }),
});
