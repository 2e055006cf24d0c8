/** JSON as rows of a folding tree. */

export interface JsonRow {
  /** Keys from the root, as JSON text: names the row. */
  path: string;
  depth: number;
  /** Absent for the root. */
  key?: string;
  /** The value as JSON, a text of several lines as it is; or what a list or object has: `{3}`, `[12]`. */
  text: string;
  kind: "string" | "number" | "boolean" | "null" | "object" | "list" | "more";
  folds: boolean;
  open: boolean;
  hit: boolean;
}

export interface JsonOptions {
  /** Paths that stand otherwise than by default: the outermost level is open, what is below is folded. */
  turned: ReadonlySet<string>;
  /** Paths of lists and objects whose further entries are shown. */
  whole: ReadonlySet<string>;
  /** Part of a key or value; only hits and what is around them are rows. */
  search: string;
}

/** Entries of a list or object that are shown at first; a row `more` has the number of the others. */
const mostEntries = 100;
export const maxJsonRows = 2000;

export function jsonRows(value: unknown, options: JsonOptions): JsonRow[] {
  const search = options.search.trim().toLowerCase();
  const rows: JsonRow[] = [];
  add(rows, value, [], search === "" ? undefined : hitsOf(value, search), search, options);
  return rows;
}

type Path = readonly (string | number)[];

function add(
  rows: JsonRow[],
  value: unknown,
  path: Path,
  hits: ReadonlySet<string> | undefined,
  search: string,
  options: JsonOptions,
): void {
  const name = JSON.stringify(path);
  if (rows.length >= maxJsonRows || (hits && !hits.has(name))) return;
  const entries = entriesOf(value);
  const folds = entries.length > 0;
  const open = folds && (hits !== undefined || (path.length < 1) !== options.turned.has(name));
  rows.push({
    path: name,
    depth: path.length,
    ...(path.length > 0 && { key: String(path.at(-1)) }),
    ...describe(value, entries.length),
    folds,
    open,
    hit: search !== "" && says(path.at(-1), value, search),
  });
  if (!open) return;
  const shown = hits || options.whole.has(name) ? entries : entries.slice(0, mostEntries);
  for (const [key, entry] of shown) add(rows, entry, [...path, key], hits, search, options);
  const rest = entries.length - shown.length;
  if (rest > 0) {
    const text = `${rest} more`;
    rows.push({
      path: name,
      depth: path.length + 1,
      text,
      kind: "more",
      folds: false,
      open: false,
      hit: false,
    });
  }
}

const entriesOf = (value: unknown): [string | number, unknown][] =>
  Array.isArray(value)
    ? value.map((entry, index) => [index, entry])
    : typeof value === "object" && value !== null
    ? Object.entries(value)
    : [];

function describe(value: unknown, entries: number): Pick<JsonRow, "text" | "kind"> {
  if (Array.isArray(value)) return { text: `[${entries}]`, kind: "list" };
  if (value === null || value === undefined) return { text: String(value ?? null), kind: "null" };
  if (typeof value === "object") return { text: `{${entries}}`, kind: "object" };
  // Lines stay lines: what a server wrote to stderr is to be read.
  if (typeof value === "string" && value.trim().includes("\n")) {
    return { text: value.trimEnd(), kind: "string" };
  }
  if (typeof value === "string") return { text: JSON.stringify(value), kind: "string" };
  return { text: String(value), kind: typeof value === "number" ? "number" : "boolean" };
}

/** Only what stands in the row itself: a key, or a value that has no parts. */
const says = (key: string | number | undefined, value: unknown, search: string): boolean =>
  (typeof key === "string" && key.toLowerCase().includes(search)) ||
  ((typeof value !== "object" || value === null) && String(value).toLowerCase().includes(search));

/** Paths of hits and of all that is around them. */
function hitsOf(value: unknown, search: string): Set<string> {
  const hits = new Set<string>();
  const look = (entry: unknown, path: Path): boolean => {
    let found = says(path.at(-1), entry, search);
    for (const [key, part] of entriesOf(entry)) found = look(part, [...path, key]) || found;
    if (found) hits.add(JSON.stringify(path));
    return found;
  };
  look(value, []);
  return hits;
}
