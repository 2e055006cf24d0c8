/** Paths for the properties of a tool: within the plugin's folder, of files that are there where a file is read. */
import { textWords } from "../../core/text.ts";

/** Knowledge about the tool that a value is for, and about the place where it runs. */
export interface InputHints {
  tool?: { name: string; description?: unknown };
  /** File of the plugin's folder that can be read, relative to it. */
  file?: string;
  /** Files that earlier tools made, by the properties that named them. */
  made?: ReadonlyMap<string, string>;
  /** Start of the names of files that inputs make; `pth-example` unless given. */
  own?: string;
  /** Absolute path of the plugin's folder where calls land; undefined where it differs from run to run. */
  folder?: string;
}

const has = (words: readonly string[], sign: RegExp): boolean => words.some((word) => sign.test(word));

const pathWord = /^(?:path|paths|file|files|filename|filepath|pathname|fname)$/;
const folderWord =
  /^(?:folder|dir|directory|directories|folders|cwd|root|repo|repository|workspace|workdir|tree)$/;
const endWord = /^(?:source|src|destination|dest|dst|target|output|from|to|input)$/;

/** A path for a property of this name, or undefined where it holds none. */
export function pathValue(
  name: string,
  description: unknown,
  hints: InputHints,
): string | undefined {
  const { tool, folder } = hints;
  const words = textWords(name);
  if (/(?:json|x|key|property|object)_?paths?$/i.test(name)) return undefined;
  const toolWords = textWords(tool?.name ?? "");
  const about = typeof description === "string" ? description.slice(0, 1000) : "";
  const told = /\b(?:path|filename|file name)\b/i.test(about);
  const isPath = has(words, pathWord) || has(words, folderWord) ||
    has(words, endWord) && (told || has(toolWords, pathWord) || has(toolWords, folderWord));
  if (!isPath || has(words, /^(?:pattern|extension|type|size|count|format|encoding|mode|id|url)$/)) {
    return undefined;
  }
  const relative = relativePath(words, toolWords, about, { ...hints, made: hints.made?.get(name) });
  return folder !== undefined &&
      /\babsolute\b/i.test(`${about} ${String(tool?.description ?? "").slice(0, 1000)}`)
    ? relative === "." ? folder : `${folder}/${relative}`
    : relative;
}

const lists = /^(?:directory|directories|folder|dir|dirs|tree|list|search|find|glob|grep|ls|cwd|git|index)$/;
const makes = /^(?:create|make|mkdir|write|save|new)$/;
const isEndOf = (words: readonly string[]) => has(words, /^(?:destination|dest|dst|target|output|to|new)$/);
/** Verbs of tools that leave a file as it is: the others get a file of PTH's own. */
const reads =
  /^(?:read|get|view|show|info|stat|cat|head|tail|open|load|parse|count|hash|checksum|copy|describe|analyze|inspect|check|validate|lint|search|compress|blame|extract)$/;

function relativePath(
  words: string[],
  tool: string[],
  about: string,
  { own = "pth-example", file, made }: Omit<InputHints, "made"> & { made: string | undefined },
): string {
  if (has([...words, ...tool], /^(?:archive|zip)$/) && !has(words, endWord)) return `${own}.zip`;
  const isEnd = isEndOf(words);
  const isFolder = has(words, folderWord) ||
    !has(words, /^file/) && has(tool, lists) && !/\bfile\b/i.test(about);
  if (isFolder) {
    return has(tool, makes) && has(tool, /^(?:mkdir|folder|dir|directory)$/) || isEnd ? `${own}-folder` : ".";
  }
  const extension =
    /(?:^|[^\w])(?:\.|\*\.)?(json|csv|tsv|ya?ml|xml|html|md|markdown|sql|py|pdf|png|svg|xlsx|docx|sqlite|db)\b/i
      .exec(`${words.join(" ")} ${tool.join(" ")} ${about}`)?.[1]?.toLowerCase().replace("markdown", "md") ??
      "txt";
  // Two tools that may not replace a file each have one of their own.
  if (isEnd) return `${[own, ...tool].join("-").slice(0, 80)}.${extension}`;
  if (made !== undefined && (extension === "txt" || made.endsWith(`.${extension}`))) return made;
  const isThere = file !== undefined && has(tool, reads) && !has(words, /^(?:name|filename)$/) &&
    (extension === "txt" || file.toLowerCase().endsWith(`.${extension}`));
  return isThere ? file : `${own}.${extension}`;
}

/** Files that a tool makes when it is called with this input, by their properties; tools after it can use them. */
export function filesMade(
  tool: string,
  input: Record<string, unknown>,
  { folder = "" }: InputHints,
): [string, string][] {
  if (!has(textWords(tool), makes)) return [];
  return Object.entries(input).flatMap(([name, value]): [string, string][] => {
    const words = textWords(name);
    if (typeof value !== "string" || !has(words, pathWord) || isEndOf(words)) return [];
    const path = folder !== "" && value.startsWith(`${folder}/`) ? value.slice(folder.length + 1) : value;
    return /\.\w+$/.test(path) ? [[name, path]] : [];
  });
}
