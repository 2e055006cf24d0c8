/** Lines of an agent's output that are JSON objects. */
import { count } from "../../core/text.ts";
import { isObject, jsonIn } from "../../core/values.ts";

export interface OutputLines {
  values: Record<string, unknown>[];
  /** Tells of lines that cannot be read. */
  warnings: string[];
}

export function outputLines(output: readonly string[]): OutputLines {
  const lines = output.filter((line) => line.trim() !== "");
  const values = lines.map(jsonIn).filter(isObject);
  const broken = lines.length - values.length;
  return {
    values,
    warnings: broken === 0 ? [] : [`the output has ${count(broken, "line")} that cannot be read`],
  };
}

/** Adds a value to those of its key. */
export function addTo<Value>(values: Map<string, Value[]>, key: string, value: Value): void {
  values.set(key, [...values.get(key) ?? [], value]);
}
