/** Entries are set and removed in the text of a file, and nothing else of it changes. */
import t from "tap";
import { type ConfigFormat, withEntry, withoutEntry } from "../../../../src/cli/install/config_format.ts";
import { textReplacement, withoutReplacement } from "../../../../src/cli/install/text_replacement.ts";

const path = ["servers", "pth"] as const;
const entry = { command: "run", args: ["a", 'b"\\'] };
const args = '["a","b\\"\\\\"]';
const toml = '[servers.pth]\ncommand = "run"\nargs = [ "a", "b\\"\\\\" ]\n';
const inJson = (indent: string, unit = "  ") =>
  [
    '"pth": {',
    `${unit}"command": "run",`,
    `${unit}"args": [`,
    `${unit}${unit}"a",`,
    `${unit}${unit}"b\\"\\\\"`,
    `${unit}]`,
    "}",
  ].join(`\n${indent}`);

const set = (format: ConfigFormat, text: string) => withEntry({ file: "f", format, text }, path, entry);
const remove = (format: ConfigFormat, text: string) => withoutEntry({ file: "f", format, text }, path);

const cases: { name: string; format: ConfigFormat; before: string; after: string; removed?: string }[] = [
  {
    name: "an empty file",
    format: "json",
    before: "",
    after: `{\n  "servers": {\n    ${inJson("    ")}\n  }\n}\n`,
    removed: '{\n  "servers": {\n  }\n}\n',
  },
  {
    name: "an object on one line",
    format: "json",
    before: '{"a": 1}',
    after: `{"a": 1, "servers": {"pth":{"command":"run","args":${args}}}}`,
    removed: '{"a": 1, "servers": {}}',
  },
  {
    name: "other servers, with a comment on the last line",
    format: "jsonc",
    before: '{\n\t// mine\n\t"servers": {\n\t\t"a": {} // keep\n\t\t/* b */\n\t}\n}\n',
    after: `{\n\t// mine\n\t"servers": {\n\t\t"a": {}, // keep\n\t\t${
      inJson("\t\t", "\t")
    }\n\t\t/* b */\n\t}\n}\n`,
  },
  {
    name: "a trailing comma",
    format: "jsonc",
    before: '{\n  "servers": {\n    "a": {}, // keep\n  },\n}\n',
    after: `{\n  "servers": {\n    "a": {}, // keep\n    ${inJson("    ")},\n  },\n}\n`,
  },
  {
    name: "a table of comments alone",
    format: "jsonc",
    before: '{\n  "servers": { // none\n    // yet\n  }\n}\n',
    after: `{\n  "servers": { // none\n    // yet\n    ${inJson("    ")}\n  }\n}\n`,
  },
  {
    name: "lines that end as on Windows, after a byte order mark",
    format: "jsonc",
    before: '\ufeff{\r\n    "servers": {\r\n        "a": 1\r\n    }\r\n}\r\n',
    after: `\ufeff{\r\n    "servers": {\r\n        "a": 1,\r\n        ${
      inJson("        ", "    ").replaceAll("\n", "\r\n")
    }\r\n    }\r\n}\r\n`,
  },
  {
    name: "a key given twice, of which the last one counts",
    format: "json",
    before: '{\n  "servers": { "x": 1 },\n  "servers": {\n    "a": 1\n  }\n}',
    after: `{\n  "servers": { "x": 1 },\n  "servers": {\n    "a": 1,\n    ${inJson("    ")}\n  }\n}`,
  },
  {
    name: "an empty TOML file",
    format: "toml",
    before: "",
    after: toml,
  },
  {
    name: "TOML with comments and another server",
    format: "toml",
    before:
      '# mine\nmodel = "m" # c\n\n[servers.a] # other\ncommand = "y"\n\n# last\n[z]\nb = 1979-05-27T07:32:00Z',
    after:
      `# mine\nmodel = "m" # c\n\n[servers.a] # other\ncommand = "y"\n\n# last\n[z]\nb = 1979-05-27T07:32:00Z\n\n${toml}`,
    removed:
      '# mine\nmodel = "m" # c\n\n[servers.a] # other\ncommand = "y"\n\n# last\n[z]\nb = 1979-05-27T07:32:00Z\n',
  },
  {
    name: "TOML with an earlier entry between other tables",
    format: "toml",
    before:
      "[servers.\"pth\"]\n# why\ncommand = 'old'\n\n[servers.pth.env]\nA = '1'\n\n# of x\n[x]\ny = 12345678901234567890\n",
    after: `${toml.replace("command", "# why\ncommand")}\n# of x\n[x]\ny = 12345678901234567890\n`,
    removed: "\n# of x\n[x]\ny = 12345678901234567890\n",
  },
  {
    name: "TOML with lines that end as on Windows",
    format: "toml",
    before: "a = 1\r\n",
    after: `a = 1\r\n\r\n${toml.replaceAll("\n", "\r\n")}`,
  },
];

for (const { name, format, before, after, removed } of cases) {
  t.test(`${name}: the entry is added once, and taken out again`, (t) => {
    const text = set(format, before);
    t.equal(text, after);
    t.equal(set(format, text), text, "twice is once");
    const undone = withoutReplacement(text, textReplacement(before, text));
    t.equal(undone, before, "what was written is restored exactly");
    if (removed !== undefined) t.equal(remove(format, text), removed);
    else if (!before.includes("old")) t.equal(set(format, remove(format, text)), text);
    t.end();
  });
}

t.test("keys of an earlier entry are changed one by one, and comments between them stay", (t) => {
  const before =
    '{\n  "servers": {\n    "pth": {\n      // why\n      "command": "old",\n      "x": 1\n    }\n  }\n}';
  const config = { file: "f", format: "jsonc" as const, text: before };
  t.equal(
    withEntry(config, path, { command: "new", x: 1 }),
    before.replace("old", "new"),
  );
  t.end();
});

t.test("an entry goes from any place in its table, and no comment swallows what follows", (t) => {
  const p = '"pth": { "command": "c" }';
  const texts: [string, string][] = [
    [`{ "servers": { ${p}, "a": 1 } }`, '{ "servers": { "a": 1 } }'],
    [`{ "servers": { "a": 1, ${p} } }`, '{ "servers": { "a": 1 } }'],
    [`{ "servers": {\n  ${p},\n  "a": 1\n} }`, '{ "servers": {\n  "a": 1\n} }'],
    [`{ "servers": {\n  "a": 1, // x\n  ${p}\n} }`, '{ "servers": {\n  "a": 1 // x\n} }'],
    [`{ "servers": {\n  "a": 1, // x\n  ${p} } }`, '{ "servers": {\n  "a": 1 // x\n  } }'],
    [`{ "servers": {\n  // x\n  ${p}, "b": 2\n} }`, '{ "servers": {\n  // x\n  "b": 2\n} }'],
  ];
  for (const [text, left] of texts) t.equal(remove("jsonc", text), left);
  t.end();
});

t.test("a broken file is refused with its place", (t) => {
  const broken: [ConfigFormat, string, string][] = [
    ["json", '{\n  "a": }', "f:2:8 not valid JSON: Unexpected token RBrace found."],
    ["json", '{\n  // no\n  "a": 1 }', "f:2:3 not valid JSON"],
    ["json", '{"a": 1,}', "f:1:9 not valid JSON"],
    ["jsonc", '{"a": 1', "f:1:8 not valid JSON"],
    ["jsonc", "null", "f:1:1 the whole file is not an object"],
    ["jsonc", '{\n "servers": [1] }', 'f:2:13 "servers" is not an object'],
    ["jsonc", '{\n "servers": { "pth": 1 } }', 'f:2:22 "servers.pth" is not an object'],
    ["jsonc", "[".repeat(200_000), "f:1:1 it is nested too deep"],
    ["toml", "a = 1\nb = \n", "f:2:5 not valid TOML: invalid value"],
    ["toml", 'a = 1\nservers = "x"\n', 'f:2:1 "servers" is not a table'],
  ];
  for (const [format, text, message] of broken) {
    t.throws(() => set(format, text), {
      code: "INVALID_CONFIG",
      message: `Cannot edit configuration: ${message}`,
    }, text.slice(0, 30));
  }
  t.end();
});

t.test("TOML that is not written as tables is refused, and the entry told", (t) => {
  for (
    const text of [
      "servers = { a = { command = 'x' } }\n",
      "[servers]\npth = { command = 'x' }\n",
      "servers.pth.command = 'x'\n",
      "[[servers.pth]]\ncommand = 'x'\n",
      'a = """\n[servers.pth]\n"""\n[servers.pth]\ncommand = "x"\n',
    ]
  ) {
    t.throws(() => set("toml", text), { code: "INVALID_CONFIG" }, text);
  }
  t.throws(() => set("toml", "servers = { a = { command = 'x' } }\n"), {
    message: 'Cannot edit configuration: f:1:1 "servers" is written in a way that is not edited here',
    context: { next: [/^Edit it by hand: "servers.pth" becomes \{"command":"run"/] },
  });
  t.end();
});

t.test("a key that names an object's prototype is a key like others", (t) => {
  const text = '{\n  "__proto__": { "x": 1 },\n  "servers": {}\n}';
  t.match(set("jsonc", text), /"__proto__": \{ "x": 1 \},\n {2}"servers": \{\n {4}"pth"/);
  t.end();
});

t.test("a change is found where text before it has grown, and is not guessed", (t) => {
  const change = textReplacement("a\nz\n", "a\nnew\nz\n");
  t.equal(withoutReplacement("0\na\nnew\nz\n", change), "0\na\nz\n");
  t.equal(withoutReplacement("a\nz\n", change), undefined);
  t.equal(withoutReplacement("0\nnew\nnew\n", { at: 9, removed: "", inserted: "new" }), undefined);
  t.end();
});
