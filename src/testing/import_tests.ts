/** A file of another tester as tests of PTH. */
import type { TestCase } from "../../machines/model/test_case.ts";
import { PthError } from "../core/errors.ts";
import { assignIds } from "./format/ids.ts";
import { type ImporterDefinition, Importing } from "./importer.ts";
import { registry } from "./importers/_registry.ts";
import { invalidTestFiles, type Problem } from "../core/problems.ts";
import { TaggedText } from "./format/tagged_text.ts";
import { readSource } from "../core/read_source.ts";

export interface ImportedFile {
  /** Name of the format. */
  format: string;
  tests: TestCase[];
  /** Constructs without a counterpart, each at its place. */
  lost: Problem[];
  /** Mistakes and unknown keys; the rest is imported all the same. */
  problems: Problem[];
}

/** @throws {PthError} `INVALID_TEST_FILE` where nothing can be read, `INVALID_INPUT` where the format is unknown */
export function importTests(file: string, text: string, format = "auto"): ImportedFile {
  const source = readSource(file, text, tags);
  if (source.documents.length === 0) {
    const empty = { file, line: 1, column: 1, message: "expected tests, the file is empty" };
    throw invalidTestFiles(source.problems.length > 0 ? source.problems : [empty]);
  }
  const importer = chosen(file, format, source.documents.map(({ value }) => value));
  const read = source.documents.map((document) => {
    const importing = new Importing(file, document);
    importer.read(importing);
    return importing;
  });
  return {
    format: importer.name,
    tests: assignIds(distinct(read.flatMap(({ tests }) => tests))),
    lost: read.flatMap(({ lost }) => lost),
    problems: [...source.problems, ...read.flatMap(({ problems }) => problems)],
  };
}

/** Tags that formats give meaning to. */
const tags = ["re", "ere"].map((tag) => ({
  tag: `tag:yaml.org,2002:${tag}`,
  resolve: (text: string) => new TaggedText(tag, text),
}));

function chosen(file: string, format: string, documents: readonly unknown[]): ImporterDefinition {
  const names = registry.map(({ name }) => name).join(", ");
  const found = registry.find(({ name, recognizes }) =>
    format === "auto" ? documents.some(recognizes) : name === format
  );
  if (found !== undefined) return found;
  const what = format === "auto"
    ? `${file} looks like none of ${names}`
    : `there is no format ${format}, only ${names}`;
  throw new PthError("INVALID_INPUT", `Cannot import tests: ${what}`, {
    next: [{ terminal: `Name the format with --format (${names}); docs/importing.md shows how each looks` }],
  });
}

/** Tests by hand have names of their own. */
function distinct(tests: readonly TestCase[]): TestCase[] {
  const taken = new Set<string>();
  return tests.map((test) => {
    let name = test.name;
    for (let n = 2; taken.has(name); n++) name = `${test.name} (${n})`;
    taken.add(name);
    return { ...test, name };
  });
}
