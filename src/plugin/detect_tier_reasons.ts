/** Looks for the signs of a tier in one source file. */
import type { TierReason } from "../../machines/model/environment.ts";
import {
  type CodeText,
  readCode,
  type ScannedLanguage,
  scannedLanguage,
  type SourceLiteral,
} from "./code_text.ts";
import { commandsOf, isRefusal } from "./commands_of.ts";
import type { OwnFile } from "./own_files.ts";
import { scriptLines, shellCommands } from "./script_lines.ts";
import type { TierDetector } from "./tier_detector.ts";

/** Of a line, so much is shown. */
const shownCharacters = 120;
/** How much of the code before a path is looked at. */
const nearby = 120;

const writes =
  /\b(?:writeFile(?:Sync)?|appendFile(?:Sync)?|createWriteStream|writeTextFile(?:Sync)?|write_text|write_bytes|WriteFile|WriteString|fs::write|OpenOptions|fputs|fprintf|fwrite|write)\b/;

/** Places in a file where it shows what it needs, by line. A file of a language that is not known shows nothing. */
export function detectTierReasons(file: OwnFile, signs: readonly TierDetector[]): TierReason[] {
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
