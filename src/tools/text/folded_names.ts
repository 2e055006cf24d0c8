/** Many names of tests in few words. */
import { groupBy } from "../../core/values.ts";
import { limitedList } from "./join_lines.ts";
import { firstLine } from "../../core/text.ts";

interface Parts {
  head: string;
  /** Begins with the separator; "" for a name of one part. */
  rest: string;
}

/** Parts that braces hold at most. */
const partsShown = 12;

/**
 * Names in a row, their common parts once, in braces as shells write them: `{add|sub} - {answers|refuses null}` stands for
 * `add - answers`, `add - refuses null`, `sub - answers` and `sub - refuses null`.
 * @param most rows that are told, of one name or several; Infinity for all names
 */
export function foldedNames(names: readonly string[], most: number): string {
  const parts = names.map((name) => partsOf(firstLine(name, 100)));
  const byHead = fold(parts, "head", "rest");
  const byRest = fold(parts, "rest", "head");
  const rows = byRest.length < byHead.length ? byRest : byHead;
  const left = rows.slice(most).reduce((sum, { heads, rests }) => sum + heads.length * rests.length, 0);
  return [
    ...rows.slice(0, most).map(({ heads, rests }) => rowText(heads, rests, most === Infinity)),
    ...left > 0 ? [`… ${left} more`] : [],
  ].join("; ");
}

/** Splits at the first ` - ` or `: `; what would be misread in braces is one part. */
function partsOf(name: string): Parts {
  const at = / - |: /.exec(name)?.index;
  return at === undefined || /[{}|]/.test(name)
    ? { head: name, rest: "" }
    : { head: name.slice(0, at), rest: name.slice(at) };
}

interface Row {
  heads: string[];
  rests: string[];
}

/** Makes a row of names that have one part alike; rows that have all of the other parts alike are one. */
function fold(all: readonly Parts[], same: keyof Parts, other: keyof Parts): Row[] {
  const groups = [...groupBy(all, (parts) => parts[same])]
    .map(([key, group]) => ({ key, others: [...new Set(group.map((parts) => parts[other]))] }));
  return [...groupBy(groups, ({ others }) => JSON.stringify(others)).values()].map((alike) => {
    const [keys, { others }] = [alike.map(({ key }) => key), alike[0]!];
    return same === "head" ? { heads: keys, rests: others } : { heads: others, rests: keys };
  });
}

function rowText(heads: readonly string[], rests: readonly string[], all: boolean): string {
  const most = all ? Infinity : partsShown;
  if (rests.length === 1 && rests[0] === "") return limitedList(heads, most).join("; ");
  const separator = /^( - |: )/.exec(rests[0]!)?.[0] ?? "";
  return rests.every((rest) => rest.startsWith(separator))
    ? braced(heads, most) + separator + braced(rests.map((rest) => rest.slice(separator.length)), most)
    : braced(heads, most) + braced(rests, most);
}

const braced = (parts: readonly string[], most: number): string =>
  parts.length === 1 ? parts[0]! : `{${limitedList(parts, most).join("|")}}`;
