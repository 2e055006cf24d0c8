/** One case of evals from its files: `case.yaml`, `prompt.md` and `graders/*.md`, each of which may add to the others. */
import { basename } from "node:path";
import type { z } from "zod";
import { suggestion } from "../../core/did_you_mean.ts";
import type { Problem } from "../../core/problems.ts";
import { type Path, readSource, type SourceDocument } from "../../core/read_source.ts";
import { textExcerpt } from "../../core/text.ts";
import { isObject } from "../../core/values.ts";
import { issueText, pathText } from "../../core/issue_text.ts";
import type { EvalCase, EvalGrader } from "../../../machines/model/eval_case.ts";
import { bodyKeys, caseSchema, executionKeyNames, graderSchemas, promptSchema } from "./eval_schema.ts";

/** Texts of a case's files by their path below the plugin. */
export interface CaseFiles {
  /** Folder of the case. */
  folder: string;
  caseYaml?: string;
  prompt?: string;
  /** By the file's path, in the order of names. */
  graders: Record<string, string>;
}

/** Lines that `claude plugin eval init` writes for a person to replace. */
const templates = [
  /^[A-Z]{4}: describe what the agent should do$/m,
  /^[A-Z]{4}: describe what a successful response looks like$/m,
];

type Values = Record<string, unknown>;

/** Problems are added; the case is undefined where there are some. */
export function readCase(files: CaseFiles, problems: Problem[]): EvalCase | undefined {
  const before = problems.length;
  const { folder } = files;
  const main = files.prompt === undefined ? `${folder}/case.yaml` : `${folder}/prompt.md`;
  const told = (message: string) => problems.push({ file: main, line: 1, column: 1, message });
  const yaml = files.caseYaml === undefined
    ? undefined
    : readYaml(`${folder}/case.yaml`, files.caseYaml, problems);
  const head = files.prompt === undefined
    ? undefined
    : readPrompt(`${folder}/prompt.md`, files.prompt, problems);
  const graders = [
    ...yaml?.graders ?? [],
    ...Object.entries(files.graders).flatMap(([file, text]) => readGraderFile(file, text, problems) ?? []),
  ];
  if (problems.length > before) return undefined;
  const top = { ...yaml?.values, ...head?.top };
  const execution = { ...yaml?.values.execution as Values | undefined, ...head?.execution };
  const prompt = head?.body ?? execution.prompt;
  if (typeof prompt !== "string" || prompt.trim() === "") {
    told("expected a prompt: text below the front matter of prompt.md, or execution.prompt in case.yaml");
  } else if (templates.some((line) => line.test(prompt))) {
    told("expected a prompt, this is still the template of `claude plugin eval init`");
  }
  if (graders.length === 0) told("expected a grader: a file in graders/, or graders in case.yaml");
  for (const [index, { name }] of graders.entries()) {
    if (graders.findIndex((other) => other.name === name) < index) told(`two graders are called "${name}"`);
  }
  if (problems.length > before) return undefined;
  const excluded = [yaml?.values.execution as Values | undefined, head?.execution].flatMap((part) =>
    (part?.disallowed_tools as string[] | undefined) ?? []
  );
  return {
    name: top.name as string | undefined ?? basename(folder),
    folder,
    graders,
    tags: top.tags as string[] | undefined ?? [],
    runs: top.runs as number | undefined ?? 1,
    execution: {
      prompt: prompt as string,
      max_turns: execution.max_turns as number | undefined ?? 10,
      timeout_seconds: execution.timeout_seconds as number | undefined ?? 300,
      ...(execution.model === undefined ? {} : { model: execution.model as string }),
      allowed_tools: execution.allowed_tools as string[] | undefined ?? [],
      disallowed_tools: excluded,
    },
    runnerOnly: runnerOnlyKeys(top, execution),
  };
}

function runnerOnlyKeys(top: Values, execution: Values): string[] {
  const context = (top.context ?? {}) as Values;
  const isGiven = (value: unknown): boolean =>
    value !== undefined && value !== false &&
    (typeof value !== "object" || Object.keys(value as object).length > 0);
  return [
    ...["scaffold_script", "history_file", "add_dirs"].filter((key) => isGiven(context[key])).map((key) =>
      `context.${key}`
    ),
    ...["env", "append_system_prompt", "artifact_publish", "growthbook_overrides"].filter((key) =>
      isGiven(execution[key])
    ).map((key) => `execution.${key}`),
    ...(isGiven(top.plugins) ? ["plugins"] : []),
  ];
}

function readYaml(file: string, text: string, problems: Problem[]) {
  const document = oneDocument(file, text, problems);
  if (document === undefined) return undefined;
  const { graders = [], ...values } = document.value as Values;
  const mistakes = mistakesIn(file, document, values, caseSchema, []);
  problems.push(...mistakes);
  if (!Array.isArray(graders)) {
    problems.push({ file, ...document.place(["graders"]), message: "graders: expected a list" });
    return undefined;
  }
  const read = graders.flatMap((grader, index) =>
    readGrader(file, document, grader, ["graders", index], problems) ?? []
  );
  return mistakes.length > 0 ? undefined : { values, graders: read };
}

function readPrompt(file: string, text: string, problems: Problem[]) {
  const parts = splitFrontMatter(file, text, problems);
  if (parts === undefined) return undefined;
  const body = parts.body.trim() === "" ? {} : { body: parts.body.trim() };
  if (parts.front === undefined || parts.front.trim() === "") return { top: {}, execution: {}, ...body };
  const document = oneDocument(file, parts.front, problems);
  if (document === undefined) return undefined;
  const mistakes = mistakesIn(file, document, document.value, promptSchema, []);
  problems.push(...mistakes);
  const entries = Object.entries(document.value as Values);
  return {
    top: Object.fromEntries(entries.filter(([key]) => !executionKeyNames.includes(key))) as Values,
    execution: Object.fromEntries(entries.filter(([key]) => executionKeyNames.includes(key))) as Values,
    ...body,
  };
}

function readGraderFile(file: string, text: string, problems: Problem[]): EvalGrader | undefined {
  const parts = splitFrontMatter(file, text, problems);
  if (parts === undefined) return undefined;
  if (parts.front === undefined) {
    if (/^readme\.md$/i.test(basename(file))) return undefined;
    const message = "expected front matter with a type: without it Claude Code passes the file over";
    problems.push({ file, line: 1, column: 1, message });
    return undefined;
  }
  const document = oneDocument(file, parts.front, problems);
  if (document === undefined) return undefined;
  const front = document.value as Values;
  const key = bodyKeys[String(front.type)];
  const body = parts.body.trim();
  const given = key !== undefined && front[key] === undefined && body !== "" ? { [key]: body } : {};
  const grader = { name: basename(file, ".md"), ...front, ...given };
  return readGrader(file, document, grader, [], problems);
}

function readGrader(
  file: string,
  document: SourceDocument,
  value: unknown,
  at: Path,
  problems: Problem[],
): EvalGrader | undefined {
  const where = at.length === 0 ? "" : `${pathText(at)}: `;
  if (!isObject(value)) {
    const message = `${where}expected a grader (a map with type), got ${textExcerpt(value, 80)}`;
    problems.push({ file, ...document.place(at), message });
    return undefined;
  }
  const { type } = value;
  if (typeof type !== "string" || !Object.hasOwn(graderSchemas, type)) {
    const message = type === undefined
      ? `${where}expected a type: ${Object.keys(graderSchemas).join(", ")}`
      : `${where}unknown type of grader ${textExcerpt(type, 80)}${
        suggestion(String(type), Object.keys(graderSchemas))
      }`;
    problems.push({ file, ...document.place([...at, "type"]), message });
    return undefined;
  }
  const schema: z.ZodType = graderSchemas[type as keyof typeof graderSchemas];
  const mistakes = mistakesIn(file, document, value, schema, at);
  problems.push(...mistakes);
  if (mistakes.length > 0) return undefined;
  const grader = schema.parse(value) as EvalGrader;
  const words = "criteria" in grader ? grader.criteria : "pattern" in grader ? grader.pattern : "";
  if (templates.some((line) => line.test(words))) {
    const message = `${where}expected what passes, this is still the template of \`claude plugin eval init\``;
    problems.push({ file, ...document.place(at), message });
    return undefined;
  }
  return grader;
}

function mistakesIn(
  file: string,
  document: SourceDocument,
  value: unknown,
  schema: z.ZodType,
  at: Path,
): Problem[] {
  const issues = schema.safeParse(value).error?.issues ?? [];
  const where = at.length === 0 ? "" : `${pathText(at)}: `;
  return issues.flatMap((issue): Problem[] => {
    const path = [...at, ...issue.path as Path];
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({
        file,
        ...document.placeOfKey(path, key),
        message: `${where}unknown key "${key}"`,
      }));
    }
    const message = issue.code === "invalid_union"
      ? `${pathText(issue.path as Path)}: ${issue.message}`
      : issueText(issue, value);
    return [{ file, ...document.place(path), message: `${where}${message}` }];
  });
}

function oneDocument(file: string, text: string, problems: Problem[]): SourceDocument | undefined {
  const { documents: [document, second], problems: found } = readSource(file, text);
  problems.push(...found);
  if (found.length > 0) return undefined;
  if (second !== undefined) {
    problems.push({ file, ...second.place([]), message: "expected one document" });
    return undefined;
  }
  if (document !== undefined && isObject(document.value)) return document;
  const place = document === undefined ? { line: 1, column: 1 } : document.place([]);
  problems.push({ file, ...place, message: "expected a map of keys" });
  return undefined;
}

/** The front matter keeps its lines: the rule above it becomes an empty one. */
function splitFrontMatter(
  file: string,
  whole: string,
  problems: Problem[],
): { front?: string; body: string } | undefined {
  const text = whole.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  if (!/^---[ \t]*\n/.test(text)) return { body: text };
  const [, front, body] = /^---[ \t]*(\n(?:[\s\S]*?\n)?)---[ \t]*(?:\n([\s\S]*))?$/.exec(text) ?? [];
  if (front !== undefined) return { front, body: body ?? "" };
  problems.push({
    file,
    line: 1,
    column: 1,
    message: 'expected a second "---": the front matter has no end',
  });
  return undefined;
}
