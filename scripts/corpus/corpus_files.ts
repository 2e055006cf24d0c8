/** Reads and writes the files of `test/corpus/`. */
import { join } from "node:path";
import type { z } from "zod";
import { PthError } from "../../src/core/errors.ts";
import { readSource } from "../../src/core/read_source.ts";
import { readTextIfExists, writeTextAtomically } from "../../src/platform/files.ts";
import { issueText } from "../../src/core/issue_text.ts";
import {
  type CorpusJudgements,
  corpusJudgements,
  type CorpusResults,
  corpusResults,
  type PublishedServer,
  serverList,
  type ServerResult,
} from "./corpus_schema.ts";

export interface Corpus {
  servers: PublishedServer[];
  /** Results of the latest run of each server. */
  results: CorpusResults;
  /** Earlier results that these are compared with. */
  baseline: CorpusResults;
  judgements: CorpusJudgements;
}

const folder = "test/corpus";
export const resultsFile = `${folder}/results.json`;
export const baselineFile = `${folder}/baseline.json`;

/** @throws {PthError} `INVALID_INPUT` with every mistake as `file:line:column` */
export async function readCorpus(root: string): Promise<Corpus> {
  const read = async <T>(path: string, schema: z.ZodType<T>, absent: string): Promise<T> =>
    parseCorpusFile(path, await readTextIfExists(join(root, path)) ?? absent, schema);
  return {
    servers: await read(`${folder}/servers.yaml`, serverList, "[]"),
    results: await read(resultsFile, corpusResults, "{}"),
    baseline: await read(baselineFile, corpusResults, "{}"),
    judgements: await read(`${folder}/judgements.yaml`, corpusJudgements, "{}"),
  };
}

/** @throws {PthError} `INVALID_INPUT` with every mistake as `file:line:column` */
export function parseCorpusFile<T>(file: string, content: string, schema: z.ZodType<T>): T {
  const { problems, documents: [document] } = readSource(file, content);
  const parsed = schema.safeParse(document?.value);
  if (problems.length === 0 && parsed.success) return parsed.data;
  const mistakes = problems.length > 0
    ? problems.map(({ line, column, message }) => `${file}:${line}:${column} ${message}`)
    : (parsed.error?.issues ?? []).map((issue) => {
      const { line, column } = document?.place(issue.path as (string | number)[]) ?? { line: 1, column: 1 };
      return `${file}:${line}:${column} ${issueText(issue, document?.value)}`;
    });
  throw new PthError("INVALID_INPUT", `Cannot read ${file}\n${mistakes.join("\n")}`, { problems: mistakes });
}

/** Writes results sorted by package, so that the same results are the same file. */
export async function writeCorpusResults(path: string, results: CorpusResults): Promise<void> {
  const sorted = Object.fromEntries(Object.entries(results).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  await writeTextAtomically(path, `${JSON.stringify(sorted, null, 2)}\n`);
}

/** Puts a result into a file, read anew: another command may have written there meanwhile. */
export async function keepCorpusResult(path: string, name: string, result: ServerResult): Promise<void> {
  const present = parseCorpusFile(path, await readTextIfExists(path) ?? "{}", corpusResults);
  await writeCorpusResults(path, { ...present, [name]: result });
}
