/** Values in the abstract run of a handler: JSON values, and the few things that stand for what only a real run has. */
import { isObject } from "../../core/values.ts";
import type { SourceLanguage } from "./syntax.ts";

/** Something that only a real run would tell. */
export const unknownValue: unique symbol = Symbol("unknown");

/** A map, dictionary or list that the plugin keeps over calls. */
export class StoredState {}

/** Thrown where the run goes on in a way that the source alone does not show. No `Error`: it needs no stack, and is thrown often. */
export class Unknown {
  readonly what: string;

  constructor(what: string) {
    this.what = what;
  }
}

/** Thrown where the run ends in an error that the tool answers with. No `Error`, as `Unknown`. */
export class Throws {
  /** A part of the message that is sure. */
  readonly part: string;
  readonly path: string;
  readonly line: number;
  /** "throws", "answers isError" … */
  readonly how: string;
  /** Something else may catch it. */
  readonly thrown: boolean;
  /** What the branch stands under, as written. */
  condition: string | undefined;

  constructor(part: string, path: string, line: number, how: string, thrown: boolean) {
    this.part = part;
    this.path = path;
    this.line = line;
    this.how = how;
    this.thrown = thrown;
  }
}

/** Names that surely nothing has, in the two ways that names are written. */
export const noSuchNames = (name: string): string[] =>
  ["-", "_"].map((mark) =>
    ["pth", "no", "such", ...name.toLowerCase().split(/[-_\W]+/)].filter(Boolean).join(mark)
  );

/** Inputs that the tool's own schema does not allow. */
export const notAllowed = new WeakSet<object>();

export const isNoSuch = (value: unknown): boolean =>
  typeof value === "string" && /^pth[-_]no[-_]such[-_]/.test(value);

/** Whether a language takes a value for true; `unknown` where that is not known. */
export function toBoolean(value: unknown, language: SourceLanguage): boolean | typeof unknownValue {
  if (value === unknownValue || value instanceof StoredState) return unknownValue;
  if (language === "python") {
    if (Array.isArray(value)) return value.length > 0;
    if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  }
  return Boolean(value);
}

/** `==` and `===` alike; of two objects nothing is known. */
export function equalValues(left: unknown, right: unknown): boolean | typeof unknownValue {
  if (left === unknownValue || right === unknownValue) return unknownValue;
  const isAbsent = (value: unknown) => value === undefined || value === null;
  if (isAbsent(left) || isAbsent(right)) return isAbsent(left) && isAbsent(right);
  if (typeof left === "object" || typeof right === "object") return unknownValue;
  return left === right;
}

export const negate = (value: boolean | typeof unknownValue): boolean | typeof unknownValue =>
  value === unknownValue ? unknownValue : !value;

/** Whether a collection holds a value or a key. */
export function containsValue(collection: unknown, value: unknown): boolean | typeof unknownValue {
  if (value === unknownValue || collection === unknownValue) return unknownValue;
  if (collection instanceof StoredState) return isNoSuch(value) ? false : unknownValue;
  if (typeof collection === "string" && typeof value === "string") return collection.includes(value);
  if (Array.isArray(collection)) {
    return collection.includes(value) ? true : collection.includes(unknownValue) ? unknownValue : false;
  }
  return isObject(collection) && typeof value === "string" ? Object.hasOwn(collection, value) : unknownValue;
}
