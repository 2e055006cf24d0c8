/** Arguments against a tool's schema; what is wrong is named field by field, all at once. */
import type { z } from "zod";
import { PthError } from "../core/errors.ts";
import { expectedText } from "../core/issue_text.ts";
import type { RegisteredTool } from "../tools/tool.ts";

type Issue = z.core.$ZodIssue;

/** @throws {PthError} `INVALID_INPUT` */
export function validate(tool: RegisteredTool, input: unknown): Record<string, unknown> {
  const parsed = parseCoercing(tool.definition.input, input);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap((issue) => problemsOf(issue));
  const fields = Object.keys(tool.definition.input.shape);
  throw new PthError(
    "INVALID_INPUT",
    `Cannot run ${tool.name}: ${
      problems.length === 1 ? "an argument is" : "arguments are"
    } not as expected\n` +
      problems.map(({ field, message }) => `- ${field}: ${message}`).join("\n"),
    {
      problems,
      next: [fields.length === 0 ? `${tool.name} takes no arguments` : `Arguments: ${fields.join(", ")}`],
    },
  );
}

interface Problem {
  field: string;
  message: string;
}

function problemsOf(issue: Issue): Problem[] {
  const field = pathText(issue.path);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      field: pathText([...issue.path, key]),
      message: "unknown argument",
    }));
  }
  // A union that names its choices itself says more than all their complaints together.
  if (issue.code === "invalid_union" && issue.message === "Invalid input") {
    const options = issue.errors.flat().map(({ message }) => message.replace(/^Invalid \w+: /, ""));
    return [{ field, message: [...new Set(options)].join(", or ") || issue.message }];
  }
  if (issue.code === "invalid_type" && issue.message.endsWith("received undefined")) {
    return [{ field, message: `is missing; expected ${issue.expected}` }];
  }
  const ofSize = issue.code === "too_small" || issue.code === "too_big";
  return [{ field, message: ofSize ? expectedText(issue) : issue.message }];
}

/** `fixtures.files[0].path`; the whole input is called "arguments". */
const pathText = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, key) =>
      typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`,
    "",
  ) || "arguments";

type Path = readonly PropertyKey[];
type Container = Record<PropertyKey, unknown>;

/** An array of JSON strings of numbers takes two rounds; deeper wrapping has not been seen. */
const rounds = 3;

/** Parses the input; where that fails, once more with the refused values unwrapped. */
export function parseCoercing<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  let candidate = input;
  let parsed = schema.safeParse(candidate);
  for (let round = 0; round < rounds && !parsed.success; round++) {
    const next = structuredClone(candidate);
    const touched = parsed.error.issues.map((issue) => unwrap(next, issue.path));
    if (!touched.includes(true)) break;
    candidate = next;
    parsed = schema.safeParse(candidate);
  }
  return parsed;
}

/** Replaces the value at the path by what its JSON says, or removes a null; false where there is nothing to do. */
function unwrap(root: unknown, path: Path): boolean {
  const key = path.at(-1);
  const holder = path.slice(0, -1).reduce<unknown>(
    (at, step) => isContainer(at) ? at[step] : undefined,
    root,
  );
  if (key === undefined || !isContainer(holder)) return false;
  const value = holder[key];
  if (value === null && !Array.isArray(holder)) return delete holder[key];
  if (typeof value !== "string") return false;
  const inner = parseJson(value);
  if (inner === undefined || typeof inner === "string") return false;
  holder[key] = inner;
  return true;
}

const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Not JSON is an ordinary string; the schema's own message says what was expected.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
