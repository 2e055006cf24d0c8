/** Inputs that surely reach an error branch of a tool's handler. */
import { isObject } from "../../core/values.ts";
import { mayRefuseFirst } from "./dispatch.ts";
import type { FoundHandler } from "./handlers.ts";
import { runHandler } from "./run_handler.ts";
import type { SourceIndex } from "./source_index.ts";
import { descendants, plainString, type SyntaxNode } from "./syntax.ts";
import { topLevel } from "./source_scope.ts";
import { noSuchNames, notAllowed, StoredState, type Throws } from "./values.ts";
import { takesUnchecked } from "./takes_unchecked.ts";

export interface ErrorBranch {
  input: Record<string, unknown>;
  /** What the input has that leads there: `limit is 201`. */
  because: string;
  failure: Throws;
  /** Whether the words are sure, too; something that looks at the input before the handler does may refuse it in its own. */
  inItsWords: boolean;
}

/** Beyond it no number is sent, and no text is longer. */
const largest = 10_000;

/**
 * The error branches that one changed parameter of a valid input reaches, each once, in the order of their lines.
 * @param base a valid input
 * @param isValid whether the tool's schema allows an input
 */
export function errorBranches(
  handler: FoundHandler,
  properties: Record<string, unknown>,
  base: Record<string, unknown>,
  isValid: (input: unknown) => boolean,
  index: SourceIndex,
): ErrorBranch[] {
  const defaults = defaultsOf(properties);
  const takesAll = takesUnchecked(handler, index);
  const nodes = [handler.node, ...handler.functions.map(({ node }) => node)];
  const literals = literalsOf([...nodes, ...namedConstants(nodes, index)]);
  const inItsWords = !(handler.registration.table === true && mayRefuseFirst(index));
  const found = new Map<string, ErrorBranch>();
  // Where what is absent may or may not be filled in, an input that has it all tells more.
  const bases = [base, { ...defaults, ...base }].slice(0, isFull(base, defaults) ? 1 : 2);
  const inputs = bases.flatMap((each) => variations(properties, each, literals, isValid, takesAll));
  for (const { input, because } of inputs) {
    const failure = runHandler(handler, input, defaults, index);
    const place = failure && `${failure.path}:${failure.line}`;
    if (failure && !found.has(place!)) found.set(place!, { input, because, failure, inItsWords });
  }
  return [...found.values()].sort((a, b) => a.failure.line - b.failure.line);
}

/** The valid input with one parameter changed; inputs that the schema allows come first. */
function variations(
  properties: Record<string, unknown>,
  base: Record<string, unknown>,
  literals: Literals,
  isValid: (input: unknown) => boolean,
  takesAll: boolean,
): Pick<ErrorBranch, "input" | "because">[] {
  const all = Object.entries(properties).flatMap(([name, schema]) => {
    const { [name]: _, ...others } = base;
    const known = isObject(schema) ? schema : {};
    return [...candidates(name, known, literals), ofOtherType(known)].map((value) => ({
      input: value === undefined ? others : { ...base, [name]: value },
      because: `${name} is ${shown(value)}`,
    }));
  });
  const allowed = all.filter(({ input }) => isValid(input));
  if (!takesAll) return allowed;
  const forbidden = all.filter((each) => !allowed.includes(each));
  for (const { input } of forbidden) notAllowed.add(input);
  return [...allowed, ...forbidden];
}

const isFull = (input: Record<string, unknown>, defaults: Record<string, unknown>): boolean =>
  Object.keys(defaults).every((name) => Object.hasOwn(input, name));

const defaultsOf = (properties: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) =>
      isObject(schema) && schema.default !== undefined ? [[name, schema.default]] : []
    ),
  );

const ofOtherType = ({ type }: Record<string, unknown>): unknown =>
  [type].flat().includes("string") ? 7 : "a text";

const shown = (value: unknown): string => {
  if (value === undefined) return "absent";
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 40)}… (${text.length - 2} characters)` : text;
};

/** Constants of the plugin's files that the nodes name: `if (limit > longest)`. */
function namedConstants(nodes: readonly SyntaxNode[], { trees }: SourceIndex): SyntaxNode[] {
  const names = new Set(
    nodes.flatMap((node) =>
      [...descendants(node)].flatMap(({ type, text }) => type === "identifier" ? text : [])
    ),
  );
  const constants = trees.flatMap(({ root }) => [...topLevel(root)]);
  return constants.flatMap(([name, value]) =>
    names.has(name) && !(value instanceof StoredState) ? value : []
  );
}

interface Literals {
  numbers: number[];
  strings: string[];
}

function literalsOf(nodes: readonly SyntaxNode[]): Literals {
  const numbers = new Set<number>();
  const strings = new Set<string>();
  for (const node of nodes) {
    for (const each of descendants(node)) {
      if (/^(?:number|integer|float|int_literal|integer_literal|float_literal)$/.test(each.type)) {
        const value = Number(each.text.replaceAll("_", ""));
        if (Math.abs(value) < largest) numbers.add(value);
      }
      const text = plainString(each);
      if (text !== undefined && text.length <= 40) strings.add(text);
    }
  }
  return { numbers: [...numbers].slice(0, 20), strings: [...strings].slice(0, 20) };
}

/** Values of a parameter that handlers tell apart; undefined leaves it out. */
function candidates(
  name: string,
  schema: Record<string, unknown>,
  { numbers, strings }: Literals,
): unknown[] {
  const types = [schema.type].flat();
  const around = numbers.flatMap((each) => [each - 1, each, each + 1]);
  const isNumber = types.includes("number") || types.includes("integer");
  return [
    undefined,
    ...types.includes("string") ? texts(name, around, strings) : [],
    ...isNumber ? [...new Set([0, -1, 1, ...around])] : [],
    ...types.includes("array") ? [[]] : [],
    ...types.includes("boolean") ? [true, false] : [],
  ];
}

const texts = (name: string, lengths: readonly number[], strings: readonly string[]): string[] => [
  "",
  " ",
  ...noSuchNames(name),
  ...lengths.filter((length) => Number.isInteger(length) && length > 1).map((length) => "x".repeat(length)),
  ...strings,
];
