/** Contents of the files of `test/corpus/`: the list of published servers, what runs found, and what a person says of it. */
import * as z from "zod";

const text = z.string().trim().min(1);
const count = z.int().nonnegative();

/** Need of a tool that an isolated environment cannot meet by itself. */
const outsideNeed = z.strictObject({
  needs: z.enum(["network", "credential", "browser", "database", "program", "desktop"]),
  reason: text.describe("What it asks for, as its source says"),
});

/** Stands for all tools of a server in `outside`. */
export const allTools = "*";

const publishedServer = z.strictObject({
  package: text.describe("Of the npm registry"),
  version: z.string().regex(/^\d+\.\d+\.\d+[\w.-]*$/, "expected one version, as 1.2.3"),
  kind: text.describe("What its tools are about, in one or two words"),
  language: text,
  sdk: text.describe("What it speaks MCP with"),
  command: text.optional().describe("Program within the package, where it names none"),
  arguments: z.array(z.string()).default([]),
  variables: z.record(z.string(), z.string()).default({}),
  /** Settings as in a file for `--config`. */
  config: z.record(z.string(), z.unknown()).optional(),
  outside: z.record(z.string(), outsideNeed).default({}).describe("By tool; * is all of them"),
});

export type PublishedServer = z.infer<typeof publishedServer>;

export const serverList = z.array(publishedServer).superRefine((servers, context) => {
  servers.forEach(({ package: name }, at) => {
    const before = servers[at - 1]?.package;
    if (before === undefined || before < name) return;
    const message = before === name
      ? `${name} is there twice`
      : `${name} stands after ${before}: sort by name`;
    context.addIssue({ code: "custom", path: [at, "package"], message, input: name });
  });
});

const toolResult = z.strictObject({
  state: z.enum(["exercised", "failing", "refused", "excluded", "not_reached"]),
  needs: z.string().optional(),
  reason: z.string().optional(),
});

const failedTest = z.strictObject({ test: z.string(), name: z.string(), message: z.string() });

const serverResult = z.strictObject({
  version: z.string(),
  commit: z.string().describe("Of PTH, as it ran"),
  date: z.iso.date(),
  environment: z.string(),
  error: z.string().optional().describe("Why it was not loaded, or its run did not end"),
  seconds: z.number().nonnegative(),
  tests: z.strictObject({ passed: count, failed: count, skipped: count, flaky: count }),
  tools: z.record(z.string(), toolResult),
  failures: z.array(failedTest),
  findings: z.record(z.string(), count).describe("How many of each code"),
});

export type FailedTest = z.infer<typeof failedTest>;
export type ServerResult = z.infer<typeof serverResult>;

export const corpusResults = z.record(z.string(), serverResult).describe("By package");
export type CorpusResults = z.infer<typeof corpusResults>;

const judgement = z.strictObject({
  says: text.optional().describe(
    "Part of the failure's message: the judgement is of those alone that say it",
  ),
  fault: z.boolean().describe("Whether the server really is at fault; otherwise it is a false alarm"),
  reason: text,
});

/** By package, then by the id of a test, in which a * stands for anything. */
export type Judgement = z.infer<typeof judgement>;
export const corpusJudgements = z.record(z.string(), z.record(z.string(), judgement));
export type CorpusJudgements = z.infer<typeof corpusJudgements>;
