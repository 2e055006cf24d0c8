/** Keys of plain values as files spell them (snake_case) and as the code does (camelCase). */
import { isObject } from "../../core/values.ts";

type SnakeText<Text extends string> = Text extends `${infer Head}${infer Rest}`
  ? Head extends Lowercase<Head> ? `${Head}${SnakeText<Rest>}` : `_${Lowercase<Head>}${SnakeText<Rest>}`
  : Text;

/** The same value with its keys in snake_case, at every depth. */
export type Snake<Value> = Value extends readonly unknown[] ? { [Index in keyof Value]: Snake<Value[Index]> }
  : Value extends object
    ? { [Key in keyof Value as Key extends string ? SnakeText<Key> : Key]: Snake<Value[Key]> }
  : Value;

/** Only for values whose keys are names that the code gives, never data. */
export const snakeKeys = <Value>(value: Value): Snake<Value> =>
  respell(value, (key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)) as Snake<Value>;

/** The way back. */
export const camelKeys = <Value>(value: Snake<Value>): Value =>
  respell(value, (key) => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())) as Value;

function respell(value: unknown, spell: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((entry) => respell(entry, spell));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return Object.fromEntries(entries.map(([key, entry]) => [spell(key), respell(entry, spell)]));
}
