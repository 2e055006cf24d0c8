/** Configuration that a plugin turns out to need is asked for, and the work is tried again. */
import type { SessionResources } from "../../actors/session_resources.ts";
import { asPthError, PthError } from "../../core/errors.ts";
import type { ConfigQuestion, MissingValue, RequestOptions } from "../../api/harness.ts";
import { isObject } from "../../core/values.ts";

/** @throws {PthError} `CONFIG_MISSING` without anybody to ask, when nobody answers, and when the answer does not help */
export async function askingConfig<T>(
  live: SessionResources,
  { askConfig, signal }: RequestOptions,
  work: () => Promise<T>,
): Promise<T> {
  const asked = new Set<string>();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const question = questionOf(live, error);
      if (question === undefined || askConfig === undefined) throw error;
      const keys = question.missing.map(({ name }) => `${question.dependency ?? ""}/${name}`);
      if (keys.every((key) => asked.has(key))) throw withAsked(error, "the answer left it open");
      for (const key of keys) asked.add(key);
      const answer = await askConfig(question, signal);
      if ("refused" in answer) throw withAsked(error, answer.refused);
      take(live, question, answer.values);
    }
  }
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
