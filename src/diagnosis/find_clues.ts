/** Lines of a handler, or of the whole source, that fit what was seen. */
import type { SourcePlace } from "../../machines/model/diagnosis.ts";
import type { SourceBlock, ToolHandlerSource } from "./find_handler.ts";
import type { PluginSources } from "../plugin/plugin_sources.ts";
import { filesNaming, readSourceFiles, type SourceFile, sourceFile } from "./source_files.ts";
import { findMissing, type Symptoms, symptomsText } from "./symptoms.ts";
import type { FailureCategory } from "../../machines/model/verdict.ts";

interface FoundClue {
  place: SourcePlace;
  /** A sentence for the evidence. */
  says: string;
}

const mostPerClue = 3;

/** Places of the first clue that fits anything; the handler itself comes before what it calls. */
export async function findClues(
  clues: readonly Clue[],
  handler: ToolHandlerSource | undefined,
  sources: PluginSources,
): Promise<FoundClue[]> {
  const rounds: { clue: Clue; everywhere: boolean }[] = [
    ...clues.map((clue) => ({ clue, everywhere: clue.anywhere === true })),
    ...clues.filter(({ anywhere }) => anywhere === "last").map((clue) => ({ clue, everywhere: true })),
  ];
  for (const { clue, everywhere } of rounds) {
    const found: FoundClue[] = [];
    for (const block of handler?.blocks ?? []) found.push(...await inBlock(clue, block, handler!, sources));
    if (everywhere) found.push(...await inSource(clue, sources));
    const distinct = found.filter(({ place }, index) =>
      found.findIndex((other) => other.place.path === place.path && other.place.line === place.line) === index
    );
    if (distinct.length > 0) return distinct.slice(0, mostPerClue);
  }
  return [];
}

async function inBlock(
  { line: wanted, says }: Clue,
  { path, from, to, name }: SourceBlock,
  { place }: ToolHandlerSource,
  sources: PluginSources,
): Promise<FoundClue[]> {
  const file = await sourceFile(path, sources);
  if (file === undefined) return [];
  return matching(wanted, file.plain.slice(from - 1, to)).map((index) => {
    const line = from + index;
    const within = name ?? (path === place.path && line >= place.line ? place.name : undefined);
    return foundAt(file, line, says, within);
  });
}

/** The first lines of the whole source that fit. */
async function inSource(
  { line: wanted, says, word, only }: Clue,
  sources: PluginSources,
): Promise<FoundClue[]> {
  const found: FoundClue[] = [];
  for (const { file, lines } of await candidates(wanted, word, only, sources)) {
    for (const index of matching(wanted, lines.map((line) => file.plain[line]!))) {
      found.push(foundAt(file, lines[index]! + 1, says));
    }
    if (found.length >= mostPerClue) break;
  }
  return found.slice(0, mostPerClue);
}

interface Candidates {
  file: SourceFile;
  /** Indices. */
  lines: number[];
}

/** Lines worth a look: a plugin may have many files, and a run many failures with one pattern. */
async function candidates(
  wanted: Clue["line"],
  word: string | undefined,
  only: RegExp | undefined,
  sources: PluginSources,
): Promise<Candidates[]> {
  if (word !== undefined) return (await filesNaming(word, sources)).map(allLines);
  const pattern = only ?? (wanted instanceof RegExp ? wanted : undefined);
  if (pattern === undefined) return (await readSourceFiles(sources)).map(allLines);
  const known = fitting.get(sources) ?? new Map<string, Promise<Candidates[]>>();
  fitting.set(sources, known);
  const lines = known.get(pattern.source) ??
    readSourceFiles(sources).then((files) => linesOf(files, pattern));
  known.set(pattern.source, lines);
  return await lines;
}

const fitting = new WeakMap<PluginSources, Map<string, Promise<Candidates[]>>>();

const allLines = (file: SourceFile): Candidates => ({ file, lines: [...file.plain.keys()] });

const linesOf = (files: readonly SourceFile[], pattern: RegExp): Candidates[] =>
  files.map((file) => ({ file, lines: matching(pattern, file.plain) })).filter(({ lines }) =>
    lines.length > 0
  );

const foundAt = ({ path, lines }: SourceFile, line: number, says: string, name?: string): FoundClue => ({
  place: { path, line, ...(name === undefined ? {} : { name }) },
  says: `${path}:${line} ${says}: ${lines[line - 1]!.trim().slice(0, 160)}`,
});

/** Indices of the lines that fit. */
function matching(wanted: Clue["line"], lines: readonly string[]): number[] {
  if ("among" in wanted) return wanted.among(lines);
  const fits = wanted instanceof RegExp ? (line: string) => wanted.test(line) : wanted;
  return lines.flatMap((line, index) => line !== "" && fits(line) ? [index] : []);
}

/** Lines of a block that make the answer, the nearest to it first; then the lines that answer. */
export function linesBehindAnswer(lines: readonly string[]): number[] {
  const answers = lines.flatMap((line, index) => answering.test(line) ? [index] : []);
  const found: number[] = [];
  const names = new Set(answers.flatMap((index) => namesIn(lines[index]!)));
  for (let index = (answers.at(-1) ?? 0) - 1; index >= 0; index--) {
    const [, assigned, value] = assignment.exec(lines[index]!) ?? [];
    if (assigned === undefined || !names.has(assigned)) continue;
    found.push(index);
    for (const name of namesIn(value!)) names.add(name);
  }
  // An answer that is computed where it is given has no line before it.
  const computed = answers.filter((index) => /\s[-+*/%]\s/.test(lines[index]!));
  return found.length > 0 ? [...found, ...answers] : computed;
}

const answering = /\breturn\b|["']?\btext["']?\s*:|=>\s*(?!\{)\S/;

const assignment =
  /^\s*(?:export\s+)?(?:(?:const|let|var|auto|final)\s+)?(?:mut\s+)?(\w+)\s*(?::[^=]+)?(?:[-+*/%]|\|\||\?\?|:)?=(?![=>])(.*)$/;

const namesIn = (text: string): string[] =>
  text.replaceAll(/"[^"]*"|'[^']*'/g, "").match(/(?<![\w.])[A-Za-z_]\w*/g) ?? [];

interface Clue {
  /** A line that may hold the fault; or, of a whole block, the indices of such lines, the likeliest first. */
  line: RegExp | ((line: string) => boolean) | { among(lines: readonly string[]): number[] };
  /** Effect of the line: "writes to stdout". */
  says: string;
  /** Look in the whole source, not only in the handler and what it calls; `last`: when nothing else fits. */
  anywhere?: boolean | "last";
  /** Stands in every such line. */
  word?: string;
  /** Fits every such line, and is the same for all failures: its lines are looked up once. */
  only?: RegExp;
}

/** The most specific first. */
export function cluesFor(category: FailureCategory, symptoms: Symptoms): Clue[] {
  return [...byWords(symptoms), ...byCategory[category](symptoms)];
}

const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** Messages of runtimes about a mistake, and the line that each refers to; `$` stands for the name. */
const mistakes: [said: RegExp, line: (name: string) => RegExp, says: string][] = [
  [
    /(?:reading|setting) '([^']+)'/,
    (name) => RegExp(`\\.${literal(name)}\\b|\\[["']${literal(name)}["']\\]`),
    "uses that property",
  ],
  [/([\w$]+) is not a function/, (name) => RegExp(`\\b${literal(name)}\\(`), "makes that call"],
  [
    /([\w$]+) is not (?:iterable|defined|a constructor)/,
    (name) => RegExp(`\\b${literal(name)}\\b`),
    "uses that name",
  ],
  [/name '(\w+)' is not defined/, (name) => RegExp(`\\b${name}\\b`), "uses that name"],
  [/has no attribute '(\w+)'/, (name) => RegExp(`\\.${name}\\b`), "uses that attribute"],
  [/KeyError: '([^']+)'/, (name) => RegExp(`\\[["']${literal(name)}["']\\]`), "reads that key"],
  [
    /Error executing tool \w+: '([^']+)'$/m,
    (name) => RegExp(`\\[["']${literal(name)}["']\\]`),
    "reads that key",
  ],
  [
    /(?:KeyError: |Error executing tool \w+: )'[^']+'$()/m,
    () => /(?<![\w.]["'])\w\[(?!["']|\d+\]|:)[^\]]+\](?!\s*=[^=])/,
    "reads by a key that is computed",
  ],
  [/()(?:division|modulo) by zero/, () => /\s(?:\/\/?|%)\s/, "divides"],
  [/()index out of range/, () => /\w\[[^\]"']+\]/, "reads by an index"],
  [/Expecting value|is not valid JSON()/, () => /JSON\.parse|json\.loads/, "parses JSON"],
];

/** Clues that lie in what was said. */
function byWords(symptoms: Symptoms): Clue[] {
  const text = symptomsText(symptoms);
  const clues: Clue[] = [];
  const missing = findMissing(text);
  if (missing && missing.name !== "") {
    const name = literal(
      missing.kind === "service" ? missing.name.split(":").at(-1)! : missing.name.split("/").at(-1)!,
    );
    if (missing.kind === "module") {
      clues.push({
        line: RegExp(`(?:import|require|from|use)\\b.*${name}`),
        says: "imports it",
        anywhere: true,
      });
    }
    clues.push({ line: RegExp(`(?<![\\w.])${name}(?!\\w)`), says: "needs it", anywhere: true });
  }
  for (const [said, line, says] of mistakes) {
    const match = said.exec(text);
    const word = match?.[1] ? { word: match[1] } : {};
    if (match) clues.push({ line: line(match[1] ?? ""), says, anywhere: "last", ...word });
  }
  clues.push({ line: (line) => throwsWords(line, text), says: "raises this error" });
  return clues;
}

/** Whether a line raises an error with words that were seen. */
function throwsWords(line: string, text: string): boolean {
  if (!/\b(?:throw|raise|reject|panic!?|refuse|fail|Error|Exception|isError)\b/.test(line)) return false;
  return piecesOf(line, 6).some((piece) => text.includes(piece));
}

/** Fixed parts of the string literals in a line. */
function piecesOf(line: string, least: number): string[] {
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`([^`]*)`/g)]
    .flatMap(([, double, single, back]) => (double ?? single ?? back ?? "").split(/\$?\{[^}]*\}|%[sd]/))
    .filter((piece) => piece.trim().length >= least);
}

const writesContent =
  /\b(?:writeFile|appendFile|createWriteStream|copyFile|rename)(?:Sync)?\(|\bopen\(.*["'][wax]\+?[bt]?["']|\.write_(?:text|bytes)\(|\.(?:execute|commit|save|insert\w*|update\w*)\(|\bfs::write|\bos\.WriteFile/;

const writes =
  /\b(?:writeFile|appendFile|createWriteStream|mkdir|rename|copyFile|unlink|rmdir|truncate|symlink|cp|rm)(?:Sync)?\(|\bopen\(.*["'](?:[wax]|r\+)[bt]?["']|\.write(?:_text|_bytes)?\(|\bos\.(?:remove|rename|replace|makedirs|mkdir|unlink|rmdir|symlink)\(|\bshutil\.|\.(?:unlink|touch|mkdir|execute|commit|save|insert\w*|update\w*|delete\w*)\(|\bfs::(?:write|remove|rename|create)|\bos\.(?:WriteFile|Remove|Create)/;

const starts = /\b(?:spawn|exec|execFile|fork|Popen|run|system)(?:Sync)?\(/;

const nothing = (): Clue[] => [];

const byCategory: Record<FailureCategory, (symptoms: Symptoms) => Clue[]> = {
  "build-failure": nothing,
  "runtime-exception": () => [{
    line: /\bprocess\.exit\(|\bsys\.exit\(|\bos\._exit\(|\bprocess\.abort\(/,
    says: "ends the process",
  }],
  "dependency-error": () => [{
    line: /\b(?:connect|createConnection|fetch|urlopen|create_connection)\(|\brequests\.\w+\(/,
    says: "reaches for another service",
  }],
  "schema-violation": (symptoms) =>
    breached(symptoms).map((property) => ({
      line: (line: string) =>
        RegExp(`\\b${literal(property)}\\b["']?\\s*[:=]|["']${literal(property)}["']\\s*\\]`).test(line) &&
        !isSchema(line),
      says: `gives "${property}" its value`,
    })).concat([{
      line: (line) => /structured_?content/i.test(line) && !isSchema(line),
      says: "makes the structured answer",
    }]),
  "wrong-output": ({ answer }) => [
    {
      line: (line) => piecesOf(line, 4).some((piece) => answer?.text.includes(piece) ?? false),
      says: "holds words of the answer",
    },
    { line: { among: linesBehindAnswer }, says: "makes what is answered" },
  ],
  "missing-side-effect": () => [
    { line: writesContent, says: "writes something" },
    { line: writes, says: "changes something" },
  ],
  "unexpected-side-effect": ({ commands }) => [
    ...(commands.length === 0 ? [{ line: starts, says: "starts a process", anywhere: true }] : []),
    { line: writes, says: "changes something" },
    { line: starts, says: "starts a process" },
  ],
  timeout: () => [
    {
      line: /new Promise(?:<.*>)?\(\s*(?:\(\s*\w*\s*\)|\w+)\s*=>\s*\{\s*\}\s*\)/,
      says: "waits for what never comes",
    },
    { line: /\bwhile\s*\(?\s*(?:true|True|1)\b|\bfor\s*\(\s*;\s*;/, says: "loops without an end" },
    { line: /\b(?:time|asyncio)\.sleep\(|\bsleep\(|\bsetTimeout\(|Atomics\.wait\(/, says: "sleeps" },
    { line: /\.(?:wait|join|acquire|get|recv|read|readline)\(\s*\)/, says: "waits without a limit" },
    { line: /\binput\(|\bexecSync\(|\bspawnSync\(|subprocess\.\w+\(/, says: "waits for another program" },
  ],
  "protocol-error": ({ strayOutput, message }) => [
    ...(strayOutput.length > 0 ? strayWrites(strayOutput.join("\n")) : []),
    ...(/Invalid \w+\/\w+ result/.test(message)
      ? [{ line: /\bcontent["']?\s*[:=]/, says: "makes the content of the answer" }]
      : []),
    ...(/content/.test(message)
      ? [{
        line: (line: string) => /\breturn\s+[{[]|=>\s*\(\s*[{[]/.test(line) && !/\bcontent\b/.test(line),
        says: "answers without content",
      }]
      : []),
  ],
};

const writesOut =
  /\bconsole\.(?:log|info|debug)\(|\bprocess\.stdout\.write\(|\bprint\((?!.*file\s*=)|\bsys\.stdout\.write\(|\bprintln!\(|\bfmt\.Print/;

/** Lines that write what was seen on stdout, else any that write there. */
const strayWrites = (seen: string): Clue[] => [
  {
    line: (line) => writesOut.test(line) && piecesOf(line, 3).some((piece) => seen.includes(piece)),
    says: "writes these words to stdout, which belongs to the protocol",
    anywhere: true,
    only: writesOut,
  },
  { line: writesOut, says: "writes to stdout, which belongs to the protocol", anywhere: true },
];

/** Names of properties in a schema violation. */
function breached({ message, answer }: Symptoms): string[] {
  const text = `${message}\n${answer?.isError ? answer.text : ""}`;
  const names = [...text.matchAll(
    /(?<![\w<])\/(\w+)(?:\/\w+)* (?:must|is|should)|propert(?:y|ies) ['"]?(\w+)|['"](\w+)['"] (?:is a required|must)|"path": \[\s*"(\w+)"|\bat (\w+)\b/g,
  )];
  return [...new Set(names.flatMap((match) => match.slice(1).find((name) => name !== undefined) ?? []))];
}

const isSchema = (line: string): boolean =>
  /\btype\b["']?\s*:|\bz\.\w+\(|outputSchema|inputSchema|\brequired\b/.test(line);
