/** Arguments against a tool's schema; what is wrong is named field by field, all at once. */
import type { z } from "zod";
import { PthError } from "../core/errors.ts";
import { expectedText } from "../testing/format/issue_text.ts";
import { parseCoercing } from "../tools/parse_coercing.ts";
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
      message: "there is no such argument",
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
