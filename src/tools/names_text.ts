/** Many names in few words. */
import { groupBy } from "../values.ts";
import { firstLine } from "./words.ts";

const separator = ": ";

interface Parts {
  whole: string;
  head: string;
  rest: string;
}

/**
 * Names in a row, those with one beginning or one end folded as shells write it: `{add, sub}: answers twice alike` stands for
 * `add: answers twice alike` and `sub: answers twice alike`.
 * @param most names that are told; of more the number is
 */
export function foldedNames(names: readonly string[], most: number): string {
  const parts = names.slice(0, most).map((name) => partsOf(firstLine(name, 100)));
  const byRest = fold(
    parts,
    ({ rest }) => rest,
    ({ head }) => head,
    (heads, rest) => heads + separator + rest,
  );
  const byHead = fold(
    parts,
    ({ head }) => head,
    ({ rest }) => rest,
    (rests, head) => head + separator + rests,
  );
  const rows = byRest.length <= byHead.length ? byRest : byHead;
  const more = names.length - parts.length;
  return [...rows, ...more > 0 ? [`… ${more} more`] : []].join("; ");
}

function partsOf(whole: string): Parts {
  const at = whole.indexOf(separator);
  return at < 0
    ? { whole, head: whole, rest: "" }
    : { whole, head: whole.slice(0, at), rest: whole.slice(at + separator.length) };
}

/** Those with the same part become one row; a name whose other part would be misread in braces stays whole. */
function fold(
  all: readonly Parts[],
  same: (parts: Parts) => string,
  other: (parts: Parts) => string,
  join: (others: string, same: string) => string,
): string[] {
  const groups = groupBy(
    all,
    (parts) => parts.rest === "" || /[{},]/.test(other(parts)) ? `\n${parts.whole}` : same(parts),
  );
  return [...groups.values()].map((group) =>
    group.length === 1 ? group[0]!.whole : join(`{${group.map(other).join(", ")}}`, same(group[0]!))
  );
}
