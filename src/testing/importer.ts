/** Importers: suites of other testers as tests of PTH. One file each in `importers/`. */
import type { TestCase, TestStep } from "../../machines/model/test_case.ts";
import { definedOnly, isObject } from "../core/values.ts";
import { suggestion } from "../core/did_you_mean.ts";
import { textExcerpt } from "../core/text.ts";
import { pathText } from "../core/issue_text.ts";
import type { Problem } from "../core/problems.ts";
import type { Path, SourceDocument } from "../core/read_source.ts";

export interface ImporterDefinition {
  /** Name after `--format`. */
  name: string;
  /** One line for `--help`. */
  summary: string;
  /** Whether a document of a file looks like this format. */
  recognizes(document: unknown): boolean;
  /** Adds the tests of one document, and reports what is lost or wrong. */
  read(importing: Importing): void;
}

/** Identity with types: the default export of a file in `importers/`. */
export const defineImporter = (definition: ImporterDefinition): ImporterDefinition => definition;

/** Fields of a test that an importer sets; the rest is as in any test written by hand. */
interface ImportedTest extends Pick<TestCase, "name" | "tier"> {
  description?: string;
  tool?: string;
  input?: Record<string, unknown>;
  steps?: TestStep[];
  prompt?: string;
  checklist?: string[];
  expect?: Record<string, unknown>;
  timeoutSeconds?: number;
}

/** One document while it is imported. */
export class Importing {
  readonly value: unknown;
  readonly tests: TestCase[] = [];
  /** Constructs without a counterpart: the tests do without them. */
  readonly lost: Problem[] = [];
  /** Mistakes, among them unknown keys, whose meaning is unknown. */
  readonly problems: Problem[] = [];
  readonly #file: string;
  readonly #document: SourceDocument;

  constructor(file: string, document: SourceDocument) {
    this.#file = file;
    this.#document = document;
    this.value = document.value;
  }

  add(test: ImportedTest, path: Path): void {
    this.tests.push({
      id: "",
      expect: {},
      verify: [],
      setup: [],
      teardown: [],
      tags: [],
      generatedFrom: "manual",
      ...definedOnly(test),
      file: this.#file,
      line: this.#document.place(path).line,
    } as TestCase);
  }

  /** Reports that a construct has no counterpart, and the reason. */
  lose(path: Path, why: string): void {
    this.lost.push({ file: this.#file, ...this.#decidingPlace(path), message: `${pathText(path)}: ${why}` });
  }

  wrong(path: Path, message: string): void {
    this.problems.push({
      file: this.#file,
      ...this.#decidingPlace(path),
      message: `${pathText(path)}: ${message}`,
    });
  }

  /** Reads the map at a path and checks its keys; reports a missing map and returns undefined. */
  map(value: unknown, path: Path, known: readonly string[]): Record<string, unknown> | undefined {
    if (!isObject(value)) {
      this.wrong(
        path,
        `expected a map, ${value === undefined ? "is missing" : `got ${textExcerpt(value, 80)}`}`,
      );
      return undefined;
    }
    for (const key of Object.keys(value).filter((key) => !known.includes(key))) {
      this.wrong([...path, key], `unknown key "${key}"${suggestion(key, [...known])}`);
    }
    return value;
  }

  /** Reads the list at a path with the path of each entry; reports a missing list and returns none. */
  list(value: unknown, path: Path): [unknown, Path][] {
    if (Array.isArray(value)) return value.map((entry: unknown, index) => [entry, [...path, index]]);
    this.wrong(
      path,
      `expected a list, ${value === undefined ? "is missing" : `got ${textExcerpt(value, 80)}`}`,
    );
    return [];
  }

  text(value: unknown, path: Path): string | undefined {
    if (typeof value === "string" && value !== "") return value;
    this.wrong(
      path,
      `expected text, ${value === undefined ? "is missing" : `got ${textExcerpt(value, 80)}`}`,
    );
    return undefined;
  }

  /** A key where its map is known, else the nearest thing that is written. */
  #decidingPlace(path: Path): { line: number; column: number } {
    const key = path.at(-1);
    return typeof key === "string"
      ? this.#document.placeOfKey(path.slice(0, -1), key)
      : this.#document.place(path);
  }
}

export const callStep = (
  tool: string,
  input: Record<string, unknown>,
  expect: Record<string, unknown>,
): TestStep => ({ action: { kind: "call", tool, input }, expect, capture: {}, verify: [] });
