/** Files of each kind that tools ask for, real and small. */
import { Buffer } from "node:buffer";
import { spreadsheet, wordDocument, zipArchive } from "./archives.ts";
import { folderName, recordsName, repositoryName } from "./example_paths.ts";
import { gitRepository } from "./git_repository.ts";
import { pdfDocument } from "./pdf_document.ts";
import { picture } from "./picture.ts";
import { sqliteDatabase } from "./sqlite_database.ts";

const prose = "This is an example.\n\nIt has a second paragraph, with a name and a value.\n";
const rows = [["name", "value"], ["example", 1], ["other", 2]] as const;
const records = rows.slice(1).map(([name, value]) => ({ name, value }));
const table = (separator: string): string => rows.map((row) => `${row.join(separator)}\n`).join("");

/** Contents by the extension of the file. */
const contents: Record<string, string | (() => Uint8Array)> = {
  txt: prose,
  md: `# Example\n\n${prose}\n## Items\n\n- one\n- two\n\n[Link](https://example.com/)\n`,
  json: `${JSON.stringify({ name: "example", value: 1, items: records }, null, 2)}\n`,
  jsonl: records.map((record) => `${JSON.stringify(record)}\n`).join(""),
  csv: table(","),
  tsv: table("\t"),
  yaml: "name: example\nvalue: 1\nitems:\n  - one\n  - two\n",
  toml: 'name = "example"\nvalue = 1\n',
  ini: "[example]\nname = example\nvalue = 1\n",
  xml: '<?xml version="1.0"?>\n<items><item name="example">1</item><item name="other">2</item></items>\n',
  html: '<!doctype html>\n<html lang="en">\n<head><title>Example</title></head>\n' +
    '<body><h1>Example</h1><p>This is an example.</p><a href="https://example.com/">Link</a></body>\n</html>\n',
  svg:
    '<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32"><rect width="32" height="32" fill="#336699"/></svg>\n',
  css: "p {\n  color: #336699;\n}\n",
  sql:
    "CREATE TABLE example (id INTEGER PRIMARY KEY, name TEXT);\nINSERT INTO example (name) VALUES ('example');\n",
  log: "2024-01-15T10:30:00Z INFO example started\n2024-01-15T10:30:01Z ERROR example failed\n",
  mmd: "graph TD\n  A[Start] --> B[End]\n",
  ipynb: `${
    JSON.stringify({
      cells: [{
        cell_type: "code",
        execution_count: null,
        metadata: {},
        outputs: [],
        source: ["print(1 + 1)\n"],
      }],
      metadata: {},
      nbformat: 4,
      nbformat_minor: 4,
    })
  }\n`,
  js: "/** Adds two numbers. */\nexport function example(a, b) {\n  return a + b;\n}\n",
  ts:
    "/** Adds two numbers. */\nexport function example(a: number, b: number): number {\n  return a + b;\n}\n",
  py: 'def example(a, b):\n    """Adds two numbers."""\n    return a + b\n\n\nprint(example(1, 2))\n',
  go:
    'package main\n\nimport "fmt"\n\nfunc example(a, b int) int { return a + b }\n\nfunc main() { fmt.Println(example(1, 2)) }\n',
  rs:
    'fn example(a: i32, b: i32) -> i32 {\n    a + b\n}\n\nfn main() {\n    println!("{}", example(1, 2));\n}\n',
  java:
    "public class Example {\n  static int example(int a, int b) {\n    return a + b;\n  }\n\n  public static void main(String[] args) {\n    System.out.println(example(1, 2));\n  }\n}\n",
  c: '#include <stdio.h>\n\nint example(int a, int b) { return a + b; }\n\nint main(void) { printf("%d\\n", example(1, 2)); return 0; }\n',
  cpp:
    "#include <iostream>\n\nint example(int a, int b) { return a + b; }\n\nint main() { std::cout << example(1, 2); }\n",
  rb: "def example(a, b)\n  a + b\nend\n\nputs example(1, 2)\n",
  php: "<?php\n\nfunction example($a, $b) {\n    return $a + $b;\n}\n\necho example(1, 2);\n",
  sh: "#!/bin/sh\necho pth-example\n",
  png: picture,
  pdf: () => pdfDocument(["This is an example.", "This is its second page.", "This is its last page."]),
  xlsx: () => spreadsheet(rows),
  docx: () => wordDocument(prose.trim().split("\n\n")),
  zip: () => zipArchive({ "example.txt": prose, "example.json": JSON.stringify(records) }),
  db: () => sqliteDatabase([["example", 1], ["other", 2]]),
};

const project: Record<string, string> = {
  "README.md": "# Example\n\nThis is an example.\n",
  "example.txt": prose,
  "index.js": 'import { example } from "./example.js";\n\nconsole.log(example(1, 2));\n',
  "example.js": "/** Adds two numbers. */\nexport function example(a, b) {\n  return a + b;\n}\n",
  "package.json": `${
    JSON.stringify({ name: "example", version: "1.0.0", type: "module", main: "index.js" }, null, 2)
  }\n`,
};

const repository = gitRepository({
  committed: project,
  staged: { "notes.md": "# Notes\n\nThese are staged.\n" },
  stashed: { "README.md": "# Example\n\nThis was stashed.\n" },
});

/** All example files by their paths within their folder. */
export function exampleFiles(): Map<string, Uint8Array> {
  const below = (folder: string, files: Iterable<[string, string | Uint8Array]>) =>
    [...files].map(([path, content]): [string, Uint8Array] => [`${folder}/${path}`, bytesOf(content)]);
  return new Map([
    ...Object.entries(contents).map(([extension, content]): [string, Uint8Array] => [
      `example.${extension}`,
      bytesOf(typeof content === "string" ? content : content()),
    ]),
    [recordsName, bytesOf(`${JSON.stringify(records, null, 2)}\n`)],
    ...below(folderName, Object.entries({ ...project, "below/example.md": "# Example\n\nThis is below.\n" })),
    ...below(repositoryName, repository),
  ]);
}

const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === "string" ? Buffer.from(content) : content;
