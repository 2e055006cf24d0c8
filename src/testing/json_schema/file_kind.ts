/** Kind of file that a property asks for, by its words and those of its tool. */

/** Words that name a kind, and the extension of its files. */
const kinds: [RegExp, string][] = [
  [/\b(?:jsonl|ndjson)\b/, "jsonl"],
  [/\bjson\b/, "json"],
  [/\bcsv\b/, "csv"],
  [/\btsv\b/, "tsv"],
  [/\bya?ml\b/, "yaml"],
  [/\btoml\b/, "toml"],
  [/\bxml\b/, "xml"],
  [/\bhtml?\b/, "html"],
  [/\b(?:markdown|md)\b/, "md"],
  [/\bsvg\b/, "svg"],
  [/\bcss\b/, "css"],
  [/\bpdfs?\b/, "pdf"],
  [/\b(?:xlsx|xlsm|excel|spreadsheets?|workbooks?)\b/, "xlsx"],
  [/\b(?:docx|word documents?)\b/, "docx"],
  [/\b(?:pptx|powerpoint|presentations?)\b/, "pptx"],
  [/\b(?:sqlite3?|db|database (?:files?|paths?))\b/, "db"],
  [/\b(?:png|images?|pictures?|photos?|screenshots?)\b/, "png"],
  [/\b(?:zip|archives?)\b/, "zip"],
  [/\b(?:mermaid|mmd)\b/, "mmd"],
  [/\b(?:ipynb|notebooks?)\b/, "ipynb"],
  [/\b(?:python|py)\b/, "py"],
  [/\btypescript\b/, "ts"],
  [/\b(?:javascript|source code|code files?|source files?)\b/, "js"],
  [/\bgolang\b|\bgo (?:file|source)/, "go"],
  [/\brust\b/, "rs"],
  [/\bsql\b/, "sql"],
  [/\blog files?\b/, "log"],
];

/** Kinds of which a tool's whole description may speak: others it names in passing. */
const strong = new Set(["pdf", "xlsx", "docx", "pptx", "db", "png", "csv", "ipynb", "svg"]);

/** Extensions with their dot, which need no further word. */
const dotted = /(?:^|[^\w.])(?:[\w*/-]*)\.(\w{1,5})\b/g;
const known =
  /^(?:txt|jsonl?|csv|tsv|ya?ml|toml|ini|xml|html?|svg|css|sql|log|mmd|ipynb|[jt]sx?|py|go|rs|java|c|cpp|rb|php|sh|png|jpe?g|gif|webp|pdf|xls[xm]?|docx|pptx|zip|db|sqlite3?|md|mp3|wav|mp4)$/;
const alike: Record<string, string> = {
  yml: "yaml",
  htm: "html",
  jpg: "png",
  jpeg: "png",
  gif: "png",
  webp: "png",
  xlsm: "xlsx",
  xls: "xlsx",
  sqlite: "db",
  sqlite3: "db",
  jsx: "js",
  tsx: "ts",
};

export interface FileWords {
  /** Words of the property's name. */
  words: readonly string[];
  about: string;
  /** Words of the tool's name. */
  tool: readonly string[];
  toolAbout: string;
  /** Whether the tool makes it of another: of two kinds it is the one named last. */
  isEnd: boolean;
}

/** The extension; `txt` where no word tells one. */
export function fileKind({ words, about, tool, toolAbout, isEnd }: FileWords): string {
  const ofTool = kindIn(toolAbout, isEnd);
  return describedKind({ words, about }) ?? kindIn(tool.join(" "), isEnd) ??
    (ofTool !== undefined && strong.has(ofTool) ? ofTool : "txt");
}

/** The extension that the property's own name and description tell. */
export const describedKind = ({ words, about }: Pick<FileWords, "words" | "about">): string | undefined =>
  kindIn(words.join(" "), false) ?? extensionIn(about) ?? kindIn(about, false);

/** The kind that is named first, or last, in a text. */
function kindIn(text: string, last: boolean): string | undefined {
  const lower = text.toLowerCase();
  const found = kinds.flatMap(([sign, extension]) => {
    const at = lower.search(sign);
    return at < 0 ? [] : [{ at, extension }];
  }).sort((a, b) => a.at - b.at);
  return found.at(last ? -1 : 0)?.extension;
}

function extensionIn(text: string): string | undefined {
  const found = [...text.matchAll(dotted)].map(([, extension]) => extension!.toLowerCase())
    .find((extension) => known.test(extension));
  return found === undefined ? undefined : alike[found] ?? found;
}
