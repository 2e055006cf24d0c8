import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import t from "tap";
import { Lexer, stringify } from "yaml";
import { quickDocuments } from "../../../src/core/quick_documents.ts";
import { type Path, readCarefully, readSource, type SourceDocument } from "../../../src/core/read_source.ts";
import { listFolder, readTextFile } from "../../../src/platform/files.ts";
import { root } from "../../support/root.ts";

const limits = { tokens: 500_000, values: 200_000, depth: 100 };

/** YAML and JSON below a folder of the repository, and in the pages of its documentation. */
async function filesBelow(folder: string): Promise<{ name: string; text: string }[]> {
  const found: { name: string; text: string }[] = [];
  for (const { name, isDirectory, isFile } of await listFolder(folder)) {
    const path = join(folder, name);
    if (isDirectory && name !== "node_modules") found.push(...await filesBelow(path));
    if (!isFile || !/\.(?:ya?ml|json|md)$/.test(name)) continue;
    const text = await readTextFile(path);
    if (!name.endsWith(".md")) found.push({ name, text });
    else {for (const [, example] of text.matchAll(/```ya?ml\n([^]*?)```/g)) {
        found.push({ name: "a.yaml", text: example! });
      }}
  }
  return found.filter(({ text }) => text.length < 6_000);
}

const files =
  (await Promise.all(["test/fixtures", "test/examples", "docs"].map((name) => filesBelow(join(root, name)))))
    .flat();

/** Every path of a value, with its keys' maps before them. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  return [
    path,
    ...Object.entries(value).flatMap(([key, part]) =>
      pathsOf(part, [...path, Array.isArray(value) ? Number(key) : key])
    ),
  ];
}

const placesOf = (document: SourceDocument): unknown[] =>
  [...pathsOf(document.value), ["none"], [0, "none"]].map((path) => [
    document.place(path),
    document.placeOfKey(path.slice(0, -1), String(path.at(-1))),
  ]);

/**
 * Whether a text is read the quick way.
 * @throws where that gives anything else than the parser does: values, places, problems, or fewer tokens than its lexer
 */
function isQuick(name: string, text: string): boolean {
  const asJson = name.endsWith(".json");
  if (quickDocuments(text, asJson, limits) === undefined) return false;
  const [read, careful] = [readSource(name, text), readCarefully(name, text)];
  const differs = (what: string, [got, wanted]: readonly [unknown, unknown]) => {
    if (isDeepStrictEqual(got, wanted)) return;
    throw new Error(`${what} differ in ${JSON.stringify(text)}: ${JSON.stringify([got, wanted])}`);
  };
  differs("problems", [read.problems, careful.problems]);
  differs("values", [read.documents.map(({ value }) => value), careful.documents.map(({ value }) => value)]);
  differs("places", [read.documents.map(placesOf), careful.documents.map(placesOf)]);
  const tokens = [...new Lexer().lex(text)].length;
  const counted = careful.documents.length === 0 ||
    quickDocuments(text, asJson, { ...limits, tokens: tokens - 1 }) === undefined;
  differs("limits", [counted, true]);
  return true;
}

const check = <Values extends [unknown, ...unknown[]]>(property: fc.IProperty<Values>, runs: number): void =>
  fc.assert(property, { numRuns: runs, seed: 20 });

t.test("most files of the repository are read the quick way, with the values and places of the parser", (t) => {
  const quick = files.filter(({ name, text }) => isQuick(name, text)).length;
  t.ok(files.length > 100, `${files.length} files`);
  t.ok(quick > 0.8 * files.length, `${quick} of them`);
  t.end();
});

const pieces = [
  "\n",
  " ",
  "  ",
  ": ",
  ":",
  "- ",
  "-",
  " #",
  '"',
  "'",
  "{",
  "}",
  "[",
  "]",
  ", ",
  "|",
  "\n---\n",
  "&a ",
  "*a",
  "!t ",
  "\\",
  "\t",
  "\r",
  "~",
  "1",
  "?",
  "%",
  "<<",
  "\ufeff",
  "\u2028",
];

t.test("a file that was changed anywhere is read as the parser reads it, or left to it", (t) => {
  const short = files.filter(({ text }) => text.length < 1_500);
  let quick = 0;
  check(
    fc.property(
      fc.constantFrom(...short),
      fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(3), fc.constantFrom(...pieces)), {
        minLength: 1,
        maxLength: 3,
      }),
      ({ name, text }, changes) => {
        const changed = changes.reduce((now, [share, removed, added]) => {
          const at = Math.floor(share * now.length);
          return now.slice(0, at) + added + now.slice(at + removed);
        }, text);
        if (isQuick(name, changed)) quick++;
      },
    ),
    400,
  );
  t.ok(quick > 50, `${quick} of 400 the quick way`);
  t.end();
});

const text = fc.oneof(
  fc.constantFrom(
    "a",
    "b c",
    "x:y",
    "a: b",
    "1",
    "-0",
    "+5",
    ".5",
    "1e3",
    "0x1f",
    "null",
    "~",
    "true",
    "- a",
    "# a",
    "a #b",
    "it's",
    'say "a"',
    "a\\nb",
    "é",
    "$x",
    "a\nb",
    "a\n\nb\n",
    " a",
    "a ",
    "\t",
    "---",
    "[a]",
    "{a}",
    "*a",
    "&a",
    "|",
    "<<",
    "__proto__",
    "constructor",
    "",
  ),
  fc.string({ maxLength: 6, unit: "grapheme" }),
);
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    tie("list"),
    tie("map"),
  ),
  list: fc.array(tie("value"), { maxLength: 3 }),
  map: fc.dictionary(text, tie("value"), { maxKeys: 3 }),
})).value;

t.test("documents of any values, in any style, are read as the parser reads them", (t) => {
  const styles = [
    {},
    { indentSeq: false, lineWidth: 0 },
    { defaultStringType: "QUOTE_DOUBLE" },
    { collectionStyle: "flow", lineWidth: 0 },
  ] as const;
  let quick = 0;
  check(
    fc.property(
      fc.array(values, { minLength: 1, maxLength: 2 }),
      fc.constantFrom(...styles),
      (documents, style) => {
        if (isQuick("a.yaml", documents.map((value) => stringify(value, style)).join("---\n"))) quick++;
      },
    ),
    200,
  );
  check(
    fc.property(values, fc.constantFrom(undefined, 1, "\t"), (value, space) => {
      const json = JSON.stringify(value, undefined, space);
      if (isQuick("a.json", json)) quick++;
      if (isQuick("a.yaml", json)) quick++;
    }),
    200,
  );
  t.ok(quick > 100, `${quick} of 600 the quick way`);
  t.end();
});

t.test("what a test file usually holds is read the quick way", (t) => {
  const usual = `# Tests of notes
--- # the first
name: "reads: a note" # a comment
tool: read-note
input: { id: 1, tags: [a, 'it''s'], empty: {}, "x": "a\\tb\\u00e9" }
expect:
  output_contains: plain text, with a colon:inside

steps:
- tool: a
  input:
    lines: |
      one
        two

      # three
    last: |-
      four
- read_resource: note://1
timeout_seconds: 2.5
---
- name: x
  tool: y
-
  name: z
`;
  t.ok(isQuick("a.yaml", usual));
  t.ok(
    isQuick("a.json", '[\r\n\t{ "name": "a",\n  "input" : { "n": -1.5e3, "t": "\\u00e9\\/" } },\n {} ]\n'),
  );
  t.end();
});

t.test("what has more than one meaning, or none, is left to the parser", (t) => {
  const left = [
    "a: &x 1\nb: *x\n",
    "a: !!str 1\n",
    "<<: { a: 1 }\n",
    "__proto__: { a: 1 }\n",
    "a: 1\na: 2\n",
    "{ a: 1, a: 2 }\n",
    "a: one\n  two\n",
    'a: "one\n  two"\n',
    "a: >\n  folded\n",
    "a:\n",
    "? a\n: b\n",
    "1: a\n",
    "%YAML 1.2\n---\na: 1\n",
    "a: b: c\n",
    "a: [1\n",
    "a: 0x1f\n",
    "a:\tb\n",
    "\ufeffa: b\n",
    "a: b\n...\n",
    " a: b\nc: d\n",
    '{"a": 1}}',
  ];
  for (const source of left) t.notOk(isQuick("a.yaml", source), JSON.stringify(source));
  for (
    const source of [
      '{"a":1,"a":2}',
      "{a: 1}",
      "{'a': 1}",
      "[01]",
      "[1,]",
      '["\\x41"]',
      "[] []",
      "// a\n[]",
      '["a\tb"]',
    ]
  ) {
    t.notOk(isQuick("a.json", source), JSON.stringify(source));
  }
  t.end();
});

t.test("what is beyond a limit is left to the parser, which says so; what is just within is not", (t) => {
  const nested = (levels: number) => `a: ${"[".repeat(levels - 1)}1${"]".repeat(levels - 1)}\n`;
  t.ok(isQuick("a.yaml", nested(100)));
  t.notOk(isQuick("a.yaml", nested(101)));
  t.match(readSource("a.yaml", nested(101)).problems, [{ message: "expected at most 100 nested levels" }]);
  const many = (count: number) => `[${Array(count).fill("1").join(",")}]`;
  for (const file of ["a.yaml", "a.json"]) {
    const [{ value }] = readSource(file, many(100_000)).documents as [SourceDocument];
    t.equal((value as number[]).length, 100_000);
    t.match(readSource(file, many(200_000)).problems, [{
      message: "expected a smaller file: split it here",
    }]);
  }
  const { problems } = readSource("a.yaml", "- a: 1\n".repeat(50_000));
  t.match(problems, [{ message: /^expected at most 200000 values/ }]);
  t.end();
});

t.test("a mistake in one document of many is placed where it stands", (t) => {
  const text = Array.from({ length: 50 }, (_, at) => `name: n${at}\ninput: { a: [1, { b: 2 }] }\n`).join(
    "---\n",
  );
  const document = readSource("a.yaml", text).documents[40]!;
  t.same(document.place(["input", "a", 1, "b"]), { line: 122, column: 22 });
  t.same(document.place(["input", "a", 1]), { line: 122, column: 17 });
  t.same(document.place(["input", "none"]), { line: 122, column: 8 });
  t.same(document.placeOfKey(["input"], "a"), { line: 122, column: 10 });
  t.end();
});
