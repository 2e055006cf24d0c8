/** What the languages' own functions answer, as far as handlers check their input with them. */
import { isObject } from "../../core/values.ts";
import type { SourceScope } from "./source_scope.ts";
import { calledName } from "./source_index.ts";
import { namedChild, namedChildren, type SyntaxNode } from "./syntax.ts";
import { containsValue, isNoSuch, notAllowed, StoredState, unknownValue } from "./values.ts";

type Evaluate = (node: SyntaxNode, scope: SourceScope) => unknown;
interface Known {
  value: unknown;
}

const quiet =
  /^(?:console|logger|logging|log|slog|tracing)\.\w+$|^(?:print|fmt\.Fprint\w*|JSON\.stringify|json\.dumps|randomUUID|crypto\.randomUUID|uuid\.uuid4|uuidv4|Date\.now|time\.Now|time\.time)$/;

/** The answer of a call, or undefined for one that is not known here. */
export function callBuiltIn(
  callee: SyntaxNode,
  args: readonly SyntaxNode[],
  scope: SourceScope,
  evaluate: Evaluate,
): Known | undefined {
  if (quiet.test(callee.text)) return { value: unknownValue };
  const values = () => args.map((each) => evaluate(each, scope));
  const object = namedChild(callee, "object") ?? namedChild(callee, "value") ?? namedChild(callee, "operand");
  if (callee.text === "isinstance") return isInstance(args, scope, evaluate);
  if (object === undefined) return plain(callee.text, values);
  const statics = plain(callee.text, values);
  if (statics) return statics;
  const name = calledName(callee);
  if (
    /^(?:parse|safeParse|parseAsync|safeParseAsync)$/.test(name) &&
    /(?:schema|args|input)$/i.test(object.text)
  ) {
    return parsed(name, object.text, values()[0], scope);
  }
  return method(evaluate(object, scope), name, values());
}

const pythonTypes: Record<string, (value: unknown) => boolean> = {
  str: (value) => typeof value === "string",
  bool: (value) => typeof value === "boolean",
  int: (value) => typeof value === "boolean" || Number.isInteger(value),
  float: (value) => typeof value === "number" && !Number.isInteger(value),
  list: Array.isArray,
  dict: isObject,
};

/** `isinstance(value, (int, float))`, of what JSON can hold. */
function isInstance(args: readonly SyntaxNode[], scope: SourceScope, evaluate: Evaluate): Known {
  const [given, types] = args;
  const value = given && evaluate(given, scope);
  const names = types?.type === "tuple" ? namedChildren(types).map(({ text }) => text) : [types?.text ?? ""];
  const tests = names.map((name) => pythonTypes[name]);
  const isKnown = value !== unknownValue && !(value instanceof StoredState) && tests.every(Boolean);
  return { value: isKnown ? tests.some((test) => test!(value)) : unknownValue };
}

/** A schema's own parse changes nothing about input that the schema allows, and refuses what it does not. */
function parsed(name: string, schema: string, input: unknown, { tree }: SourceScope): Known | undefined {
  const answersOnly = name.startsWith("safe");
  if (!isObject(input) || !notAllowed.has(input)) {
    return { value: answersOnly ? { success: true, data: input } : input };
  }
  // What the tool lists must be made of the same schema, and the schema must not bend what it is given.
  const isListed = RegExp(`[jJ](?:son|SON)Schema\\(\\s*${schema.replaceAll(/[^\w.]/g, "")}\\s*[,)]`).test(
    tree.root.text,
  );
  const bends = /\.coerce\b|preprocess|\.catch\(|\.transform\(/.test(tree.root.text);
  return answersOnly && isListed && !bends ? { value: { success: false, error: unknownValue } } : undefined;
}

function plain(name: string, values: () => unknown[]): Known | undefined {
  const of = (compute: (value: unknown) => unknown): Known => {
    const [value] = values();
    return { value: value === unknownValue || value instanceof StoredState ? unknownValue : compute(value) };
  };
  switch (name) {
    case "len":
    case "utf8.RuneCountInString":
      return of((value) => typeof value === "string" || Array.isArray(value) ? value.length : unknownValue);
    case "String":
    case "str":
      return of((value) => typeof value === "string" ? value : unknownValue);
    case "Number":
      return of((value) => typeof value === "number" ? value : unknownValue);
    case "Boolean":
    case "bool":
      return of(Boolean);
    case "Number.isInteger":
      return of((value) => Number.isInteger(value));
    case "Number.isFinite":
      return of((value) => Number.isFinite(value));
    case "isNaN":
    case "Number.isNaN":
      return of((value) => typeof value === "number" ? Number.isNaN(value) : unknownValue);
    case "Array.isArray":
      return of((value) => Array.isArray(value));
    case "strings.TrimSpace":
      return of((value) => typeof value === "string" ? value.trim() : unknownValue);
    default:
      return undefined;
  }
}

/** Methods that keep a guard, wrapper or borrow around the same value. */
const same = new Set(
  "lock read write await unwrap borrow borrow_mut as_str as_ref to_string to_owned clone iter String".split(
    " ",
  ),
);
const trims = new Set(["trim", "strip", "trim_end", "trim_start"]);

function method(value: unknown, name: string, args: unknown[]): Known | undefined {
  if (value instanceof StoredState) return stateMethod(name, args, value);
  if (isObject(value)) return objectMethod(value, name, args);
  if (same.has(name)) return { value };
  if (value === unknownValue) return undefined;
  if (typeof value === "string") return stringMethod(value, name, args);
  if (!Array.isArray(value)) return undefined;
  if (name === "includes" || name === "contains") return { value: containsValue(value, args[0]) };
  if (name === "has") return { value: containsValue(value, args[0]) };
  return name === "is_empty" || name === "len"
    ? { value: name === "len" ? value.length : value.length === 0 }
    : undefined;
}

function stateMethod(name: string, args: unknown[], value: StoredState): Known | undefined {
  if (same.has(name)) return { value };
  if (/^(?:has|contains_key|contains|includes|__contains__)$/.test(name)) {
    return { value: containsValue(value, args[0]) };
  }
  if (/^(?:get|get_mut)$/.test(name)) return { value: isNoSuch(args[0]) ? args[1] : unknownValue };
  return /^(?:set|add|push|append|insert|delete|remove|keys|values|entries)$/.test(name)
    ? { value: unknownValue }
    : undefined;
}

function stringMethod(value: string, name: string, args: unknown[]): Known | undefined {
  const [first] = args;
  const tested = (test: (text: string) => boolean): Known => ({
    value: typeof first === "string" ? test(first) : unknownValue,
  });
  if (trims.has(name)) return { value: args.length === 0 ? value.trim() : unknownValue };
  if (/^(?:toLowerCase|lower|to_lowercase)$/.test(name)) return { value: value.toLowerCase() };
  if (/^(?:toUpperCase|upper|to_uppercase)$/.test(name)) return { value: value.toUpperCase() };
  if (name === "is_empty") return { value: value === "" };
  if (name === "len") return { value: value.length };
  if (/^(?:startsWith|startswith|starts_with)$/.test(name)) return tested((text) => value.startsWith(text));
  if (/^(?:endsWith|endswith|ends_with)$/.test(name)) return tested((text) => value.endsWith(text));
  return /^(?:includes|contains)$/.test(name) ? tested((text) => value.includes(text)) : undefined;
}

/** Ways of a request to give its arguments (mcp-go), and of a dictionary. */
function objectMethod(value: Record<string, unknown>, name: string, args: unknown[]): Known | undefined {
  const [key, fallback] = args;
  if (name === "GetArguments" && isObject(value.Params)) return { value: value.Params.Arguments };
  if (name === "get" && typeof key === "string") {
    return { value: Object.hasOwn(value, key) ? value[key] : fallback };
  }
  const input = isObject(value.Params) ? value.Params.Arguments : undefined;
  if (!/^(?:Get|Require)\w+$/.test(name) || !isObject(input) || typeof key !== "string") return undefined;
  if (Object.hasOwn(input, key)) return { value: input[key] };
  return name.startsWith("Get") ? { value: fallback } : undefined;
}
