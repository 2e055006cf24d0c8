/** JSONPath (RFC 9535) as captures use it; its `match` and `search` are bounded in time. */
import { FunctionExpressionType, JSONPathEnvironment, JSONPathError, type JSONPathQuery } from "json-p3";
import { matchOrThrow } from "./bounded_match.ts";

type JsonValue = Parameters<JSONPathQuery["query"]>[0];

const environment = new JSONPathEnvironment();
for (const [name, whole] of [["match", true], ["search", false]] as const) {
  environment.functionRegister.set(name, {
    argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
    returnType: FunctionExpressionType.LogicalType,
    call: (value: unknown, pattern: unknown) => matches(value, pattern, whole),
  });
}

const compiled = new Map<string, JSONPathQuery>();

/** Describes the mistake in a path, with its character (from 1); undefined for a valid path. */
export function pathProblem(path: string): string | undefined {
  if (!path.startsWith("$")) return "it begins with $, as in $.output.id";
  try {
    compile(path);
    return undefined;
  } catch (error) {
    if (!(error instanceof JSONPathError)) throw error;
    // The library's own place is a fragment of the path and an offset in it.
    const reason = error.message.replace(/ \('[^]*':\d+\)$/, "");
    return `${reason} (character ${error.token.index + 1})`;
  }
}

/** Values at a path, in their order. @throws {JSONPathError} for a path with a mistake, or a value that is too deep. */
export const valuesAt = (path: string, value: unknown): unknown[] =>
  compile(path).query(value as JsonValue).values();

function compile(path: string): JSONPathQuery {
  const known = compiled.get(path);
  if (known !== undefined) return known;
  const query = environment.compile(path);
  compiled.set(path, query);
  return query;
}

/** RFC 9535 §2.4.6 and §2.4.7: what is no text, or no I-Regexp, matches nothing. */
function matches(value: unknown, pattern: unknown, whole: boolean): boolean {
  if (typeof value !== "string" || typeof pattern !== "string") return false;
  const mapped = dotsWithoutLineEnds(pattern);
  try {
    new RegExp(mapped, "u");
  } catch {
    return false;
  }
  return matchOrThrow(whole ? `^(?:${mapped})$` : mapped, "u", value);
}

/** In I-Regexp (RFC 9485 §5.3) a dot is neither line feed nor carriage return, and nothing else. */
const dotsWithoutLineEnds = (pattern: string): string =>
  pattern.replace(
    /\\.|\[(?:\\.|[^\]\\])*\]|\./gsu,
    (part) => part === "." ? "(?:(?![\\r\\n])\\P{Cs}|\\p{Cs})" : part,
  );
