/** A server's surface as a file, format `pth-contract/1`: JSON in a stable order, byte-identical for the same surface. */
import * as z from "zod";
import type { ServerSurface } from "../../machines/model/contract.ts";
import { PthError } from "../core/errors.ts";
import { issueText } from "../core/issue_text.ts";
import { readSource } from "../core/read_source.ts";
import { stableJson } from "./likely_rename.ts";

const contractFormat = "pth-contract/1";

/** Path of a plugin's contract, relative to its folder. */
export const defaultContractPath = ".pth/contract.json";

const entries = z.array(z.record(z.string(), z.unknown()));

const contractSchema = z.object({
  format: z.literal(contractFormat),
  server: z.object({
    name: z.string(),
    version: z.string(),
    protocolVersion: z.string(),
    capabilities: z.record(z.string(), z.unknown()),
    instructions: z.string().optional(),
  }),
  tools: z.array(z.looseObject({ name: z.string(), inputSchema: z.unknown() })),
  resources: entries,
  resourceTemplates: entries,
  prompts: entries,
});

export const writeContract = (surface: ServerSurface): string =>
  `${stableJson({ format: contractFormat, ...surface }, 2)}\n`;

/** @throws {PthError} `INVALID_INPUT` with every mistake at `file:line:column` */
export function parseContractFile(file: string, text: string): ServerSurface {
  const parsed = contractSchema.safeParse(jsonOf(text));
  if (parsed.success) {
    const { format: _format, ...surface } = parsed.data;
    return surface as ServerSurface;
  }
  throw unreadable(file, problemsOf(file, text));
}

/** Undefined for a text that is no JSON: the mistakes are looked for by whom knows places. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function problemsOf(file: string, text: string): string[] {
  const { problems, documents: [document] } = readSource(
    `${file}${file.endsWith(".json") ? "" : ".json"}`,
    text,
  );
  if (problems.length > 0) {
    return problems.map(({ line, column, message }) => `${file}:${line}:${column} ${message}`);
  }
  if (document === undefined) return [`${file}:1:1 expected a contract, found nothing`];
  const issues = contractSchema.safeParse(document.value).error?.issues ?? [];
  return issues.map((issue) => {
    const { line, column } = document.place(issue.path as (string | number)[]);
    return `${file}:${line}:${column} ${issueText(issue, document.value)}`;
  });
}

const unreadable = (file: string, problems: string[]): PthError =>
  new PthError("INVALID_INPUT", `Cannot read contract ${file}\n${problems.join("\n")}`, {
    problems,
    next: [
      {
        terminal: "Write a new one: pth contract snapshot <target> --output FILE",
        mcp: "Write a new one: pth_check_contract({ save: true })",
      },
    ],
  });
