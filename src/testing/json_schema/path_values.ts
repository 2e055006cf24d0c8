/** Paths for the properties of a tool: of example files where these are laid out, else of files named by PTH. */
import { textWords } from "../../core/text.ts";
import {
  exampleFolder,
  folderName,
  hasExample,
  ownFolder,
  recordsName,
  repositoryName,
} from "../example_files/example_paths.ts";
import { describedKind, fileKind } from "./file_kind.ts";

/** Knowledge about the tool that a value is for, and about the place where it runs. */
export interface InputHints {
  tool?: { name: string; description?: unknown; annotations?: { readOnlyHint?: boolean } };
  /** Folder of example files: absolute, or relative to the plugin's folder; undefined where there is none. */
  files?: string;
  /** Files that earlier tools made, by the properties that named them. */
  made?: ReadonlyMap<string, string>;
  /** Start of the names of files that inputs make; `pth-example` unless given. */
  own?: string;
}

const has = (words: readonly string[], sign: RegExp): boolean => words.some((word) => sign.test(word));

const pathWord = /^(?:path|paths|file|files|filename|filenames|filepath|filepaths|pathname|fname)$/;
const folderWord =
  /^(?:folder|dir|directory|directories|folders|cwd|root|repo|repos|repository|workspace|workdir|tree)$/;
const endWord = /^(?:source|src|destination|dest|dst|target|output|from|to|input)$/;
/** Names of things that lie in files, where a description calls the property a path. */
const thingWord =
  /^(?:image|picture|photo|pdf|document|doc|workbook|spreadsheet|excel|csv|database|db|archive|zip|audio|video|script|config|log|notebook|project|location)$/;
/** Paths that lead to no file. */
const otherPath = /\b(?:json|x|key|property|object|url|uri|http|api|route|field|dot)[- _]?paths?\b/i;

/** A path for a property of this name, or undefined where it holds none. */
export function pathValue(name: string, description: unknown, hints: InputHints): string | undefined {
  const words = textWords(name);
  const about = typeof description === "string" ? description.slice(0, 1000) : "";
  if (/(?:json|x|key|property|object)_?paths?$/i.test(name) || /\bowner\/\w/.test(about)) return undefined;
  const toolWords = textWords(hints.tool?.name ?? "");
  const told = /\b(?:path|filename|file name)\b/i.test(about) && !otherPath.test(about);
  const isPath = has(words, pathWord) || has(words, folderWord) || has(words, thingWord) && told ||
    has(words, endWord) && (told || has(toolWords, pathWord) || has(toolWords, folderWord));
  if (
    !isPath ||
    has(
      words,
      /^(?:pattern|patterns|extension|extensions|type|types|size|count|format|encoding|mode|id|ids|url|urls|content|contents|text)$/,
    )
  ) {
    return undefined;
  }
  const place = { words, tool: toolWords, about, made: hints.made?.get(name) };
  return isNameAlone(place) || hints.files === undefined
    ? pathByName(place, hints)
    : examplePath(place, hints, hints.files);
}

/** Whether a default names the folder in which the server happens to run. */
export const isWorkingFolder = (value: unknown): boolean => value === "." || value === "./" || value === "";

interface PathPlace {
  words: string[];
  /** Words of the tool's name. */
  tool: string[];
  /** Description of the property. */
  about: string;
  /** File that an earlier tool made by a property of this name. */
  made: string | undefined;
}

/** A name without a path belongs to a place that the server knows. */
const isNameAlone = ({ words, about }: PathPlace): boolean =>
  (has(words, /^(?:filename|filenames|fname)$/) || has(words, /^files?$/) && has(words, /^names?$/)) &&
  !/\bpath\b/i.test(about);

const lists =
  /^(?:directory|directories|folder|dir|dirs|tree|list|search|find|glob|grep|ls|cwd|git|index|scan|watch)$/;
const makes = /^(?:create|make|mkdir|write|save|new|export|generate|init|clone)$/;
/** Verbs of tools that change a file that is there. */
const changes =
  /^(?:append|edit|update|insert|replace|modify|patch|add|set|fill|format|fix|merge|rename|move|delete|remove|rm)$/;
const isEndOf = (words: readonly string[]) =>
  has(words, /^(?:destination|dest|dst|target|output|new)$/) || words[0] === "to" || words.at(-1) === "to";
/** Verbs of tools that leave a file as it is: the others get a file of their own. */
const reads =
  /^(?:read|get|view|show|info|stat|cat|head|tail|open|load|parse|count|hash|checksum|describe|analyze|analyse|inspect|check|validate|lint|search|find|grep|list|query|compress|blame|extract|diff|log|status|compare|preview|summarize|detect|exists|metadata)$/;

const isFolderOf = ({ words, tool, about }: PathPlace): boolean =>
  has(words, folderWord) || has(words, /^project$/) ||
  !has(words, /^file/) && !/\bfiles?\b/i.test(about) && has(tool, lists) &&
    describedKind({ words, about }) === undefined;

/** Whether a property takes several files that its tool brings together. */
const isOfMany = ({ words, about }: PathPlace): boolean =>
  has(words, /^(?:paths|files|filepaths|filenames)$/) ||
  /^(?:a |the )?(?:list of |array of |paths|files|file paths)|\bfiles to (?:include|add|compress|archive|merge|combine|zip|pack)\b/i
    .test(about);

/** A file or a folder that is there, or a name that is free in a folder that is there. */
function examplePath(place: PathPlace, { tool, own }: InputHints, files: string): string {
  const { words, tool: verbs, about, made } = place;
  const toolAbout = String(tool?.description ?? "").slice(0, 1000);
  const isGit = has(verbs, /^(?:git|repo|repository|commit)$/) ||
    /\bgit\b|\brepositor(?:y|ies)\b/i.test(`${words.join(" ")} ${about} ${toolAbout}`);
  const isEnd = isEndOf(words);
  const isFolder = isFolderOf(place);
  if (isGit && !isFolder && !isEnd && isInRepository(place)) return "README.md";
  const isRelative = /\brelative\b/i.test(about) && !/\babsolute\b/i.test(about);
  const root = isRelative ? exampleFolder : files;
  const ownRoot = ownFolder(root, tool?.name ?? "tool");
  const kind = fileKind({ ...place, toolAbout, isEnd });
  // The archive is what becomes of the files.
  const extension = kind === "zip" && isOfMany(place) ? "txt" : kind;
  const isKnown = hasExample(extension);
  // A database that is opened may be changed by later calls.
  // What is copied stays as it is; where a part of a document is copied, that changes.
  const isCopied = has(verbs, /^copy$/) &&
    (has(words, endWord) || has(verbs, pathWord) || has(verbs, folderWord));
  const isRead = tool?.annotations?.readOnlyHint === true ||
    (has(verbs, reads) || isCopied) && !has(verbs, changes) && !has(verbs, makes) && extension !== "db";
  const folder = isRead ? root : ownRoot;
  const free = own ?? "new";
  if (isFolder) {
    const isMade = isEnd || has(verbs, /^(?:mkdir|clone)$/) ||
      has(verbs, makes) && has(verbs, /^(?:folder|dir|directory|project)$/);
    if (isMade) return `${ownRoot}/${free}-folder`;
    const isRepository = (isGit || has(words, /^repo/)) && !has(verbs, /^init/);
    return `${folder}/${isRepository ? repositoryName : folderName}`;
  }
  const isMade = isEnd ||
    has(verbs, makes) && !has(verbs, changes) && !isPartMade(verbs, extension) && !isOfMany(place) ||
    extension === "zip" && has(verbs, /^(?:compress|zip|pack|archive)$/) && has(words, /^(?:archive|zip)$/);
  if (isMade) return `${ownRoot}/${free}.${extension}`;
  if (made !== undefined && isMadeFor(made, extension, verbs)) return made;
  if (extension === "json" && /\barray\b|\brecords\b|\blist of objects\b/i.test(about)) {
    return `${folder}/${recordsName}`;
  }
  return isKnown ? `${folder}/example.${extension}` : `${ownRoot}/${free}.${extension}`;
}

/** Whether a file that another tool made is of the kind that is asked for, or a thing that both tools are named for. */
function isMadeFor(made: string, extension: string, verbs: readonly string[]): boolean {
  if (!hasExample(extension)) return made.endsWith(`.${extension}`);
  const [maker = ""] = made.split(`${exampleFolder}/`).at(-1)!.split("/");
  const words = textWords(maker);
  const shared = verbs.filter((word, at) => words.includes(word) && !(at === 0 && words[0] === word));
  return extension === "txt" && !made.endsWith(".txt") && has(shared, /^\D{3,}$/);
}

/** Whether a tool makes something in a document that is there, such as a table in a workbook. */
function isPartMade(verbs: readonly string[], extension: string): boolean {
  if (!/^(?:xlsx|docx|pptx|db|pdf)$/.test(extension)) return false;
  const made = verbs.slice(verbs.findIndex((word) => makes.test(word)) + 1);
  const whole =
    /^(?:file|workbook|spreadsheet|excel|document|doc|docx|xlsx|pdf|presentation|pptx|database|db|sqlite|from|with|new|blank|empty)$/;
  return has(verbs, /^write$/) || made[0] !== undefined && !whole.test(made[0]);
}

/** Files of a repository are named from its folder on, unless the description asks for more. */
const isInRepository = ({ tool, about }: PathPlace): boolean =>
  /\brelative\b/i.test(about) || has(tool, /^git$/) && !/\babsolute\b/i.test(about);

/** A relative path that says by its name what it is; whether there is such a file depends on earlier calls. */
function pathByName(place: PathPlace, { tool, own = "pth-example" }: InputHints): string {
  const { words, tool: verbs, made } = place;
  if (has([...words, ...verbs], /^(?:archive|zip)$/) && !has(words, endWord)) return `${own}.zip`;
  const isEnd = isEndOf(words);
  if (isFolderOf(place)) {
    return has(verbs, makes) && has(verbs, /^(?:mkdir|folder|dir|directory)$/) || isEnd
      ? `${own}-folder`
      : ".";
  }
  const extension = fileKind({
    ...place,
    toolAbout: String(tool?.description ?? "").slice(0, 1000),
    isEnd,
  });
  // Two tools that may not replace a file each have one of their own.
  if (isEnd) return `${[own, ...verbs].join("-").slice(0, 80)}.${extension}`;
  return made !== undefined && (extension === "txt" || made.endsWith(`.${extension}`))
    ? made
    : `${own}.${extension}`;
}

/** Files that a tool makes when it is called with this input, by their properties; tools after it can use them. */
export function filesMade(tool: string, input: Record<string, unknown>): [string, string][] {
  if (!has(textWords(tool), makes)) return [];
  return Object.entries(input).flatMap(([name, value]): [string, string][] => {
    const words = textWords(name);
    const isFile = typeof value === "string" && has(words, pathWord) && !isEndOf(words) &&
      !/\/example\.\w+$/.test(value);
    return isFile && /\.\w+$/.test(value) ? [[name, value]] : [];
  });
}
