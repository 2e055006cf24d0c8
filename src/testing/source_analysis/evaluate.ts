/**
 * The value of an expression for a given input, as far as the source alone tells it.
 *
 * One evaluator for all five grammars: where they name the same thing differently, both names are listed.
 */
import { isObject } from "../../core/values.ts";
import { callFunction } from "./execute.ts";
import { importedFrom } from "./imports.ts";
import { builtIn } from "./built_in.ts";
import { isKept, isStateField, property, type Scope, topLevel } from "./scope.ts";
import { calledName, callOf } from "./source_index.ts";
import { child, parts, plainString, stringPieces, type SyntaxNode } from "./syntax.ts";
import { holds, isNoSuch, KeptState, not, same, truth, Unknowable, unknown } from "./values.ts";

type Evaluate = (node: SyntaxNode, scope: Scope) => unknown;

const inner: Evaluate = (node, scope) => evaluate(child(node, "value") ?? parts(node)[0]!, scope);
const number: Evaluate = ({ text }) =>
  Number(text.replaceAll("_", "").replace(/(?:[iu](?:8|16|32|64|size)|f(?:32|64))$/, ""));
const list: Evaluate = (node, scope) => parts(node).map((each) => evaluate(each, scope));
const constant = (value: unknown): Evaluate => () => value;

const evaluators: Record<string, Evaluate> = {
  parenthesized_expression: inner,
  as_expression: inner,
  satisfies_expression: inner,
  non_null_expression: inner,
  await_expression: inner,
  await: inner,
  reference_expression: inner,
  type_cast_expression: inner,
  literal_element: inner,
  number,
  integer: number,
  float: number,
  int_literal: number,
  integer_literal: number,
  float_literal: number,
  true: constant(true),
  false: constant(false),
  boolean_literal: ({ text }) => text === "true",
  null: constant(null),
  none: constant(null),
  nil: constant(null),
  undefined: constant(undefined),
  array: list,
  list,
  tuple: list,
  set: list,
  object: record,
  dictionary: record,
  identifier: nameValue,
  member_expression: member,
  attribute: member,
  field_expression: member,
  selector_expression: member,
  subscript_expression: subscript,
  subscript,
  index_expression: subscript,
  unary_expression: unary,
  not_operator: (node, scope) => not(truth(evaluate(child(node, "argument")!, scope), scope.language)),
  unary_operator: unary,
  binary_expression: binary,
  boolean_operator: binary,
  binary_operator: binary,
  comparison_operator: comparison,
  ternary_expression: ternary,
  conditional_expression: pythonTernary,
  call_expression: call,
  call,
  new_expression: created,
};

/** @throws {Fails} where evaluating it fails the call; {Unknowable} where only a real run tells whether it does */
export function evaluate(node: SyntaxNode, scope: Scope): unknown {
  const pieces = stringPieces(node);
  if (pieces !== undefined) return plainString(node) ?? filledIn(node, scope);
  const evaluator = evaluators[node.type];
  if (evaluator === undefined) throw new Unknowable(node.type);
  return evaluator(node, scope);
}

/** A string with texts put in; how a number looks in it is the language's affair. */
function filledIn(node: SyntaxNode, scope: Scope): unknown {
  const values = parts(node).filter(({ type }) => !/^string_(?:start|end)$/.test(type)).map((each) => {
    if (/^(?:string_fragment|string_content)$/.test(each.type)) return each.text;
    return /^(?:template_substitution|interpolation)$/.test(each.type)
      ? evaluate(parts(each)[0]!, scope)
      : unknown;
  });
  return values.every((value) => typeof value === "string") ? values.join("") : unknown;
}

function record(node: SyntaxNode, scope: Scope): unknown {
  const found: Record<string, unknown> = {};
  for (const entry of parts(node)) {
    const key = child(entry, "key");
    const value = child(entry, "value");
    if (entry.type === "shorthand_property_identifier") found[entry.text] = nameValue(entry, scope);
    else if (!key || !value) return unknown;
    else found[plainString(key) ?? key.text] = evaluate(value, scope);
  }
  return found;
}

const deepest = 12;

function nameValue({ text }: SyntaxNode, scope: Scope): unknown {
  if (scope.has(text)) return scope.get(text);
  if (text === "undefined" || text === "None") return undefined;
  // A constant that is made of itself has no value here.
  if (scope.depth > deepest) throw new Unknowable(text);
  const value = topLevel(scope.tree.root).get(text);
  if (isKept(text, scope.tree.root)) return new KeptState();
  if (value instanceof KeptState) return value;
  if (value === undefined) return importedValue(text, scope);
  try {
    return evaluate(value, scope.atTop());
  } catch (error) {
    if (error instanceof Unknowable) return unknown;
    throw error;
  }
}

/** A constant of another file of the plugin, which this one imports under the same name. */
function importedValue(name: string, scope: Scope): unknown {
  const tree = importedFrom(name, scope.tree, scope.index.trees);
  const value = tree && topLevel(tree.root).get(name);
  if (!value || value instanceof KeptState || isKept(name, tree.root)) return unknown;
  try {
    return evaluate(value, scope.atTop(tree));
  } catch (error) {
    if (error instanceof Unknowable) return unknown;
    throw error;
  }
}

function member(node: SyntaxNode, scope: Scope): unknown {
  const object = child(node, "object") ?? child(node, "value") ?? child(node, "operand");
  const name = (child(node, "property") ?? child(node, "attribute") ?? child(node, "field"))?.text ?? "";
  if (object && /^(?:this|self|\w)$/.test(object.text) && !scope.has(object.text)) {
    return isStateField(name, scope.tree.root) ? new KeptState() : unknown;
  }
  const value = evaluate(object!, scope);
  if (name === "length" && (typeof value === "string" || Array.isArray(value))) return value.length;
  if (!isObject(value) || value instanceof KeptState) return unknown;
  return property(value, name, scope.language);
}

function subscript(node: SyntaxNode, scope: Scope): unknown {
  const object = child(node, "object") ?? child(node, "value") ?? child(node, "operand") ?? parts(node)[0]!;
  const index = child(node, "index") ?? child(node, "subscript") ?? parts(node)[1]!;
  const value = evaluate(object, scope);
  const key = evaluate(index, scope);
  if (value instanceof KeptState) {
    // Elsewhere a key that is not there raises an error of its own.
    if (!isNoSuch(key) || scope.language === "python" || scope.language === "rust") {
      throw new Unknowable("state");
    }
    return undefined;
  }
  if (value !== unknown && scope.language === "python" && !isHeld(value, key)) {
    throw new Unknowable("an error of the language's own");
  }
  if (Array.isArray(value) && typeof key === "number") return value[key];
  return isObject(value) && typeof key === "string" ? value[key] : unknown;
}

const isHeld = (value: unknown, key: unknown): boolean =>
  (typeof key === "string" || typeof key === "number") && isObject(value) === (typeof key === "string") &&
  Object.hasOwn(Object(value), key);

function unary(node: SyntaxNode, scope: Scope): unknown {
  const operator = child(node, "operator")?.text ?? node.children[0]!.text;
  const value = evaluate(parts(node).at(-1)!, scope);
  if (operator === "!") return not(truth(value, scope.language));
  if (operator === "-") return typeof value === "number" ? -value : unknown;
  if (operator === "&" || operator === "*") return value;
  if (operator === "typeof" && value !== unknown && !(value instanceof KeptState)) return typeof value;
  return unknown;
}

const isNumbers = (left: unknown, right: unknown): boolean =>
  typeof left === "number" && typeof right === "number";
const isStrings = (left: unknown, right: unknown): boolean =>
  typeof left === "string" && typeof right === "string";

function compare(operator: string, left: unknown, right: unknown): unknown {
  if (/^(?:==|===|is)$/.test(operator)) return same(left, right);
  if (/^(?:!=|!==|is not)$/.test(operator)) return not(same(left, right));
  if (!isNumbers(left, right) && !isStrings(left, right)) return unknown;
  const [a, b] = [left as number, right as number];
  if (operator === "<") return a < b;
  if (operator === ">") return a > b;
  if (operator === "<=") return a <= b;
  return operator === ">=" ? a >= b : unknown;
}

function binary(node: SyntaxNode, scope: Scope): unknown {
  const operator = child(node, "operator")!.text;
  const left = evaluate(child(node, "left")!, scope);
  const right = () => evaluate(child(node, "right")!, scope);
  if (operator === "??") return left === unknown ? unknown : left ?? right();
  const isAnd = operator === "&&" || operator === "and";
  if (isAnd || operator === "||" || operator === "or") {
    const holds = truth(left, scope.language);
    if (holds !== unknown) return holds === isAnd ? right() : left;
    const other = truth(right(), scope.language);
    return other === !isAnd ? other : unknown;
  }
  if (operator === "+") {
    const other = right();
    return isNumbers(left, other) || isStrings(left, other) ? left as number + (other as number) : unknown;
  }
  if (operator === "-" || operator === "*") {
    const other = right();
    if (!isNumbers(left, other)) return unknown;
    return operator === "-" ? (left as number) - (other as number) : (left as number) * (other as number);
  }
  if (operator === "in") return holds(right(), left);
  if (/^(?:[=!]==?|[<>]=?)$/.test(operator)) return compare(operator, left, right());
  right();
  return unknown;
}

/** Python: `a < b <= c`, `a not in b`. */
function comparison(node: SyntaxNode, scope: Scope): unknown {
  const operands = parts(node).filter(({ field }) => field !== "operators").map((each) =>
    evaluate(each, scope)
  );
  const operators = node.children.filter(({ field }) => field === "operators").map(({ text }) =>
    text.replaceAll(/\s+/g, " ")
  );
  const results = operators.map((operator, at) => {
    const [left, right] = [operands[at], operands[at + 1]];
    if (operator === "in") return holds(right, left);
    return operator === "not in" ? not(holds(right, left)) : compare(operator, left, right);
  });
  if (results.includes(false)) return false;
  return results.includes(unknown) ? unknown : true;
}

function ternary(node: SyntaxNode, scope: Scope): unknown {
  const holds = truth(evaluate(child(node, "condition")!, scope), scope.language);
  return holds === unknown ? unknown : evaluate(child(node, holds ? "consequence" : "alternative")!, scope);
}

function pythonTernary(node: SyntaxNode, scope: Scope): unknown {
  const [then, condition, otherwise] = parts(node);
  const holds = truth(evaluate(condition!, scope), scope.language);
  return holds === unknown ? unknown : evaluate(holds ? then! : otherwise!, scope);
}

function created(node: SyntaxNode, scope: Scope): unknown {
  const { callee, args } = callOf(node)!;
  const values = args.map((each) => evaluate(each, scope));
  if (callee.text === "Set" && Array.isArray(values[0])) return values[0];
  if (/^(?:Map|Set|Date|Error|Array)$/.test(callee.text)) return unknown;
  throw new Unknowable(`new ${callee.text}`);
}

function call(node: SyntaxNode, scope: Scope): unknown {
  const { callee, args } = callOf(node)!;
  const known = builtIn(callee, args, scope, evaluate);
  if (known !== undefined) return known.value;
  const isPlain = callee.type === "identifier" || /^(?:this|self)\.\w+$/.test(callee.text);
  const target = isPlain ? scope.index.find(calledName(callee), scope.tree.path) : undefined;
  if (!target || scope.has(callee.text)) throw new Unknowable(callee.text);
  return callFunction(target, args.map((each) => evaluate(each, scope)), scope);
}
