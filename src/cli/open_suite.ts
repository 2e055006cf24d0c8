/** A test file that is added to: what it holds stays byte for byte. */
import { basename, dirname } from "node:path";
import type { TestCase } from "../../machines/model/test_case.ts";
import { PthError } from "../core/errors.ts";
import { pathExists, readTextIfExists, writeTextAtomically } from "../platform/files.ts";
import { loadTests } from "../testing/format/load.ts";
import { parseTests } from "../testing/format/parse.ts";

export interface OpenSuite {
  file: string;
  /** Tests of the file and of all other test files in its folder. */
  tests: TestCase[];
  /** Adds YAML documents at the end. */
  add(yaml: string): Promise<void>;
}

/**
 * Reads what is there, before anything else is done.
 * @throws {PthError} `INVALID_TEST_FILE` for a file that is there and has mistakes
 */
export async function openSuite(file: string): Promise<OpenSuite> {
  const text = await readTextIfExists(file) ?? "";
  const own = text.trim() === "" ? [] : parseTests(file, text);
  const isSuite = basename(file) === "generated.yaml" && await pathExists(dirname(file));
  return {
    file,
    // A file that PTH names lies in a folder of tests; beside one that a person names there may be anything.
    tests: isSuite ? await loadTests(dirname(file)) : own,
    async add(yaml) {
      const whole = text.trim() === "" ? yaml : `${text}${text.endsWith("\n") ? "" : "\n"}---\n${yaml}`;
      const added = parseTests(file, yaml).length;
      if (parseTests(file, whole).length !== own.length + added) {
        throw new PthError(
          "INVALID_TEST_FILE",
          `Cannot add tests to ${file}: its end is not that of a YAML test file`,
          {
            next: ["Choose another file with --output"],
          },
        );
      }
      await writeTextAtomically(file, whole);
    },
  };
}
