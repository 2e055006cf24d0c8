/** Where a text stops being JSON, which `JSON.parse` tells only at times. */

const tokens =
  // deno-lint-ignore no-control-regex -- JSON forbids them in strings
  /[\s]*(?:("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|([[\]{},:]))/y;

type Expected = "value" | "value or ]" | "key" | "key or }" | ":" | ", or ]" | ", or }" | "the end";

/** Offset of the first character that cannot stand where it stands, and what could; undefined for JSON. */
export function jsonMistake(text: string): { offset: number; expected: string } | undefined {
  const open: ("[" | "{")[] = [];
  let expected: Expected = "value";
  let end = 0;
  const after = (): Expected => open.length === 0 ? "the end" : open.at(-1) === "[" ? ", or ]" : ", or }";
  for (;;) {
    tokens.lastIndex = end;
    const match = tokens.exec(text);
    if (match === null) break;
    const [, string, scalar, mark] = match;
    const next = step(expected, string !== undefined ? '"' : scalar !== undefined ? "0" : mark!, open, after);
    if (next === undefined) break;
    expected = next;
    end = tokens.lastIndex;
  }
  const offset = end + text.slice(end).search(/\S|$/);
  return expected === "the end" && offset === text.length ? undefined : { offset, expected };
}

function step(
  expected: Expected,
  token: string,
  open: ("[" | "{")[],
  after: () => Expected,
): Expected | undefined {
  if (expected.startsWith("value")) {
    if (token === "]" && expected === "value or ]") return close(open, after);
    if (token === '"' || token === "0") return after();
    if (token !== "[" && token !== "{") return undefined;
    open.push(token);
    return token === "[" ? "value or ]" : "key or }";
  }
  if (expected.startsWith("key")) {
    if (token === "}" && expected === "key or }") return close(open, after);
    return token === '"' ? ":" : undefined;
  }
  if (expected === ":") return token === ":" ? "value" : undefined;
  if (expected === "the end") return undefined;
  if (token === ",") return expected === ", or ]" ? "value" : "key";
  return expected.endsWith(token) ? close(open, after) : undefined;
}

function close(open: ("[" | "{")[], after: () => Expected): Expected {
  open.pop();
  return after();
}
