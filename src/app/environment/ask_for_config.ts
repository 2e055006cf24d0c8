/** Asks for configuration that a plugin turns out to need. */
import type { SessionResources } from "../../actors/session_resources.ts";
import { asPthError, PthError } from "../../core/errors.ts";
import type { ConfigQuestion, MissingValue, RequestOptions } from "../../api/harness.ts";
import { isObject } from "../../core/values.ts";

/**
 * Asks for what an error says is missing, and keeps the answer. Resolves to the variables that were asked for by now.
 * @param asked Those that were asked for before
 * @throws {PthError} the error itself where it is another one, without anybody to ask, when nobody answers, and where all of
 * it was asked for before
 */
export async function askForConfig(
  live: SessionResources,
  { askConfig, signal }: Pick<RequestOptions, "askConfig" | "signal">,
  error: unknown,
  asked: readonly string[],
): Promise<string[]> {
  const question = questionOf(live, error);
  if (question === undefined || askConfig === undefined) throw error;
  const keys = question.missing.map(({ name }) => `${question.dependency ?? ""}/${name}`);
  if (keys.every((key) => asked.includes(key))) throw withAsked(error, "the answer left it open");
  const answer = await askConfig(question, signal);
  if ("refused" in answer) throw withAsked(error, answer.refused);
  take(live, question, answer.values);
  return [...asked, ...keys];
}

type Question = ConfigQuestion & { dependency?: string };

function questionOf(live: SessionResources, thrown: unknown): Question | undefined {
  const { code, context } = asPthError(thrown);
  if (code !== "CONFIG_MISSING" || !Array.isArray(context.missing)) return undefined;
  const missing = context.missing.filter((value): value is MissingValue =>
    isObject(value) && typeof value.name === "string"
  );
  if (missing.length === 0) return undefined;
  if (typeof context.dependency !== "string") {
    return { plugin: live.code.source?.name ?? "the plugin", missing };
  }
  return { plugin: `the dependency ${context.dependency}`, dependency: context.dependency, missing };
}

/** Values hold for the rest of the session. An empty one is none. */
function take(
  live: SessionResources,
  { missing, dependency }: Question,
  values: Record<string, string>,
): void {
  for (const { name, secret } of missing) {
    const value = values[name];
    if (value === undefined || value === "") continue;
    if (secret) live.secrets.hide(value);
    if (dependency === undefined) live.questions.answered.add(name);
    if (dependency !== undefined) live.plugin.dependencies.get(dependency)!.given[name] = value;
    else if (secret) live.secrets.add(name, value);
    else live.questions.answers[name] = value;
  }
}

function withAsked(thrown: unknown, why: string): PthError {
  const { code, message, context } = asPthError(thrown);
  return new PthError(code, message, { ...context, asked: why }, { cause: thrown });
}
