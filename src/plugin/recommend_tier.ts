/** Recommends an environment tier from a plugin's source. */
import type { TierReason, TierRecommendation } from "../../machines/model/environment.ts";
import { type OwnFile, ownFiles, type PluginSources } from "./plugin_sources.ts";
import { hostFolder, type ReadableFolder } from "./readable_folder.ts";
import { registry } from "./tier_signs/_registry.ts";
import {
  type CodeText,
  readCode,
  type ScannedLanguage,
  scannedLanguage,
  type SourceLiteral,
} from "./code_text.ts";
import { commandsOf, isRefusal, scriptLines, shellCommands } from "./commands_of.ts";
import type { TierDetector } from "./tier_detector.ts";
import { PthError } from "../core/errors.ts";
import { readJsonObject } from "./package_json.ts";

/** Places shown for each sign; more of them say nothing new. */
const placesPerSign = 3;
const mostReasons = 20;

/**
 * The tier that a plugin needs and why, from its own source alone: what the code runs and opens, not what it or its documents
 * mention. Something overlooked costs a tier that is asked for by hand; a wrong alarm costs everyone a virtual machine: in
 * doubt nothing is found. `pth.tier` in package.json or .claude-plugin/plugin.json stands above it.
 *
 * @param folder the plugin's; a path is one of the host
 * @param sources of the same folder; needed where it is none of the host's
 * @throws {PthError} `INVALID_CONFIG` for a `pth.tier` that is none
 */
export async function recommendTier(
  folder: string | ReadableFolder,
  sources?: PluginSources,
): Promise<TierRecommendation> {
  const readable = typeof folder === "string" ? hostFolder(folder) : folder;
  const declared = await declaredTier(readable);
  const files = await ownFiles(readable.path, sources);
  const reasons = shown(files.flatMap((file) => detectTierReasons(file, registry)));
  if (declared) return { tier: declared.tier, reasons: [declared, ...reasons].slice(0, mostReasons) };
  return { tier: reasons[0]?.tier ?? 1, reasons };
}

/** The highest tier first; of each sign the first places, each line once. */
function shown(found: readonly TierReason[]): TierReason[] {
  const counts = new Map<string, number>();
  const seen = new Set<string>();
  return found.filter(({ what, file, line }) => {
    const place = `${what}\0${file}\0${line}`;
    const count = counts.get(what) ?? 0;
    if (seen.has(place) || count >= placesPerSign) return false;
    seen.add(place);
    counts.set(what, count + 1);
    return true;
  }).sort((a, b) => b.tier - a.tier).slice(0, mostReasons);
}

/** Limit on characters of a line in the report. */
const shownCharacters = 120;

/** Characters before a path that are inspected. */
const nearby = 120;

const writes =
  /\b(?:writeFile(?:Sync)?|appendFile(?:Sync)?|createWriteStream|writeTextFile(?:Sync)?|write_text|write_bytes|WriteFile|WriteString|fs::write|OpenOptions|fputs|fprintf|fwrite|write)\b/;

/** Places in a file where it shows what it needs, by line. A file of a language that is not known shows nothing. */
function detectTierReasons(file: OwnFile, signs: readonly TierDetector[]): TierReason[] {
  const language = scannedLanguage(file.path);
  const found = language
    ? inCode(readCode(file.text, language), language, signs)
    : /\.(?:sh|bash)$/.test(file.path)
    ? inScript(file.text, signs)
    : [];
  const lines = file.text.split("\n");
  return found.sort((a, b) => a.line - b.line).map(({ sign: { tier, what }, line }) => ({
    tier,
    what,
    file: file.path,
    line,
    text: (lines[line - 1] ?? "").trim().slice(0, shownCharacters),
  }));
}

interface Found {
  sign: TierDetector;
  line: number;
}

function inCode(source: CodeText, language: ScannedLanguage, signs: readonly TierDetector[]): Found[] {
  const modules = importedModules(source, language);
  const strings = source.literals.flatMap((literal): Found[] => {
    const commands = commandsOf(literal, source);
    const matching = signs.filter((sign) =>
      commands.some((command) => sign.command?.test(command)) || namesPath(sign, literal, source)
    );
    return matching.map((sign) => ({ sign, line: source.lineOf(literal.start) }));
  });
  const code = signs.flatMap((sign) => [
    ...[...sign.code ? source.code.matchAll(sign.code) : []]
      .map(({ index }) => ({ sign, line: source.lineOf(index) })),
    ...modules.filter(({ name }) => sign.module?.test(name)).map(({ line }) => ({ sign, line })),
  ]);
  return [...strings, ...code];
}

/** `open("…`, `const folder = "…`, `=> "…`: a path that something is done with. One in a list, or in words, is not. */
function namesPath(sign: TierDetector, { text, start, end }: SourceLiteral, source: CodeText): boolean {
  if (!sign.path?.test(text)) return false;
  const before = source.code.slice(Math.max(0, start - nearby), start);
  const callee = /([\w$.:]+)\s*\(\s*(?:[rf]?|[\w.]+,\s*)$/.exec(before)?.[1];
  if (callee !== undefined) {
    const written = writes.test(callee) || /^\s*,\s*(?:mode\s*=\s*)?["'][wa]/.test(source.raw.slice(end));
    return sign.written ? written : !says.test(callee);
  }
  const name = /(?:([\w$]+)\s*(?::\s*\w+\s*)?:?=|=>|\breturn)\s*[rf]?$/.exec(before);
  return name !== null && !isRefusal(name[1] ?? "") && (!sign.written || writes.test(source.code));
}

const says =
  /(?:describe|includes|startsWith|startswith|endsWith|has|add|push|append|log|error|Error|warn|info|debug|print|println|Println|Printf|test|match|literal|Contains|HasPrefix|starts_with|contains)!?$/;

function importedModules(source: CodeText, language: ScannedLanguage): { name: string; line: number }[] {
  const { code, raw, literals, lineOf } = source;
  if (language === "python" || language === "rust") {
    const statement = language === "python" ? /^\s*(?:import|from)\s+([\w.]+)/gm : /^\s*use\s+(\w+)/gm;
    return [...code.matchAll(statement)].map(({ index, 0: all, 1: name }) => ({
      name: name!,
      line: lineOf(index + all.length - 1),
    }));
  }
  const before = language === "go"
    ? /(?:^|\n)\s*(?:import\s+)?(?:[\w.]+\s+)?$/
    : /\b(?:from|import|require)\s*\(?\s*$/;
  return literals
    .filter(({ start }) => before.test(code.slice(Math.max(0, start - 60), start)))
    .filter(({ end }) => language !== "go" || /^\s*(?:\n|$)/.test(raw.slice(end, end + 20)))
    .map(({ start, text }) => ({ name: text, line: lineOf(start) }));
}

function inScript(text: string, signs: readonly TierDetector[]): Found[] {
  return scriptLines(text).flatMap(({ line, text }) => {
    const commands = shellCommands(text);
    const paths = [...text.matchAll(/(?:^|[\s"'=>])(\/[\w./@-]+)/g)].map(([, path]) => path!);
    const written = /[^2&]>|\btee\b/.test(text);
    const isPath = ({ path, written: needsWrite }: TierDetector) =>
      path !== undefined &&
      (written || needsWrite !== true && /^\s*(?:cp|mv|ln|install|rm|sed)\b/.test(text)) &&
      paths.some((one) => path.test(one));
    return signs
      .filter((sign) => commands.some((command) => sign.command?.test(command)) || isPath(sign))
      .map((sign) => ({ sign, line }));
  });
}

/** Manifests that may hold `"pth": { "tier": 2 }`; the first that does counts. */
const manifests = ["package.json", ".claude-plugin/plugin.json"];

/** @throws {PthError} `INVALID_CONFIG` for a tier that there is not, or a manifest that is no JSON object */
async function declaredTier(folder: ReadableFolder): Promise<TierReason | undefined> {
  for (const file of manifests) {
    const manifest = await readJsonObject(folder, file);
    const tier = (manifest?.pth as { tier?: unknown } | undefined)?.tier;
    if (tier === undefined) continue;
    const place = placeOf(await folder.read(file) ?? "");
    if (tier === 1 || tier === 2 || tier === 3) {
      return { tier, what: "declared by the plugin itself", file, line: place.line, text: place.text };
    }
    throw new PthError(
      "INVALID_CONFIG",
      `Cannot read ${folder.path}/${file}:${place.line}:${place.column} expected pth.tier to be 1, 2 or 3, not ${
        JSON.stringify(tier)
      }`,
      { next: ["Correct it: 1 container, 2 container with systemd, 3 virtual machine"] },
    );
  }
  return undefined;
}

/** Location of `tier`: the first after `pth`. */
function placeOf(text: string): { line: number; column: number; text: string } {
  const found = /"pth"\s*:\s*\{[^]*?"tier"\s*:\s*/.exec(text);
  const before = text.slice(0, found ? found.index + found[0].length : 0).split("\n");
  const line = before.length;
  return { line, column: before.at(-1)!.length + 1, text: text.split("\n")[line - 1]!.trim() };
}
