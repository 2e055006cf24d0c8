/**
 * The value of an expression for a given input, as far as the source alone tells it.
 *
 * One evaluator for all five grammars: where they name the same thing differently, both names are listed.
 */
import { isObject } from "../../core/values.ts";
import { callFunction } from "./execute.ts";
import { importedFrom } from "./reachable_files.ts";
import { callBuiltIn } from "./call_built_in.ts";
import { isStateField, isStored, readProperty, type SourceScope, topLevel } from "./source_scope.ts";
import { calledName, callOf } from "./source_index.ts";
import { namedChild, namedChildren, plainString, stringPieces, type SyntaxNode } from "./syntax.ts";
import {
  containsValue,
  equalValues,
  isNoSuch,
  negate,
  StoredState,
  toBoolean,
  Unknown,
  unknownValue,
} from "./values.ts";

type Evaluate = (node: SyntaxNode, scope: SourceScope) => unknown;

const inner: Evaluate = (node, scope) =>
  evaluateExpression(namedChild(node, "value") ?? namedChildren(node)[0]!, scope);
const number: Evaluate = ({ text }) =>
  Number(text.replaceAll("_", "").replace(/(?:[iu](?:8|16|32|64|size)|f(?:32|64))$/, ""));
const list: Evaluate = (node, scope) => namedChildren(node).map((each) => evaluateExpression(each, scope));
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
  not_operator: (node, scope) =>
    negate(toBoolean(evaluateExpression(namedChild(node, "argument")!, scope), scope.language)),
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
export function evaluateExpression(node: SyntaxNode, scope: SourceScope): unknown {
  const pieces = stringPieces(node);
  if (pieces !== undefined) return plainString(node) ?? filledIn(node, scope);
  const evaluator = evaluators[node.type];
  if (evaluator === undefined) throw new Unknown(node.type);
  return evaluator(node, scope);
}

/** A string with texts put in; how a number looks in it is the language's affair. */
function filledIn(node: SyntaxNode, scope: SourceScope): unknown {
  const values = namedChildren(node).filter(({ type }) => !/^string_(?:start|end)$/.test(type)).map(
    (each) => {
      if (/^(?:string_fragment|string_content)$/.test(each.type)) return each.text;
      return /^(?:template_substitution|interpolation)$/.test(each.type)
        ? evaluateExpression(namedChildren(each)[0]!, scope)
        : unknownValue;
    },
  );
  return values.every((value) => typeof value === "string") ? values.join("") : unknownValue;
}

function record(node: SyntaxNode, scope: SourceScope): unknown {
  const found: Record<string, unknown> = {};
  for (const entry of namedChildren(node)) {
    const key = namedChild(entry, "key");
    const value = namedChild(entry, "value");
    if (entry.type === "shorthand_property_identifier") found[entry.text] = nameValue(entry, scope);
    else if (!key || !value) return unknownValue;
    else found[plainString(key) ?? key.text] = evaluateExpression(value, scope);
  }
  return found;
}

const deepest = 12;

function nameValue({ text }: SyntaxNode, scope: SourceScope): unknown {
  if (scope.has(text)) return scope.get(text);
  if (text === "undefined" || text === "None") return undefined;
  // A constant that is made of itself has no value here.
  if (scope.depth > deepest) throw new Unknown(text);
  const value = topLevel(scope.tree.root).get(text);
  if (isStored(text, scope.tree.root)) return new StoredState();
  if (value instanceof StoredState) return value;
  if (value === undefined) return importedValue(text, scope);
  try {
    return evaluateExpression(value, scope.atTop());
  } catch (error) {
    if (error instanceof Unknown) return unknownValue;
    throw error;
  }
}

/** A constant of another file of the plugin, which this one imports under the same name. */
function importedValue(name: string, scope: SourceScope): unknown {
  const tree = importedFrom(name, scope.tree, scope.index.trees);
  const value = tree && topLevel(tree.root).get(name);
  if (!value || value instanceof StoredState || isStored(name, tree.root)) return unknownValue;
  try {
    return evaluateExpression(value, scope.atTop(tree));
  } catch (error) {
    if (error instanceof Unknown) return unknownValue;
    throw error;
  }
}

function member(node: SyntaxNode, scope: SourceScope): unknown {
  const object = namedChild(node, "object") ?? namedChild(node, "value") ?? namedChild(node, "operand");
  const name =
    (namedChild(node, "property") ?? namedChild(node, "attribute") ?? namedChild(node, "field"))?.text ?? "";
  if (object && /^(?:this|self|\w)$/.test(object.text) && !scope.has(object.text)) {
    return isStateField(name, scope.tree.root) ? new StoredState() : unknownValue;
  }
  const value = evaluateExpression(object!, scope);
  if (name === "length" && (typeof value === "string" || Array.isArray(value))) return value.length;
  if (!isObject(value) || value instanceof StoredState) return unknownValue;
  return readProperty(value, name, scope.language);
}

function subscript(node: SyntaxNode, scope: SourceScope): unknown {
  const object = namedChild(node, "object") ?? namedChild(node, "value") ?? namedChild(node, "operand") ??
    namedChildren(node)[0]!;
  const index = namedChild(node, "index") ?? namedChild(node, "subscript") ?? namedChildren(node)[1]!;
  const value = evaluateExpression(object, scope);
  const key = evaluateExpression(index, scope);
  if (value instanceof StoredState) {
    // Elsewhere a key that is not there raises an error of its own.
    if (!isNoSuch(key) || scope.language === "python" || scope.language === "rust") {
      throw new Unknown("state");
    }
    return undefined;
  }
  if (value !== unknownValue && scope.language === "python" && !isHeld(value, key)) {
    throw new Unknown("an error of the language's own");
  }
  if (Array.isArray(value) && typeof key === "number") return value[key];
  return isObject(value) && typeof key === "string" ? value[key] : unknownValue;
}

const isHeld = (value: unknown, key: unknown): boolean =>
  (typeof key === "string" || typeof key === "number") && isObject(value) === (typeof key === "string") &&
  Object.hasOwn(Object(value), key);

function unary(node: SyntaxNode, scope: SourceScope): unknown {
  const operator = namedChild(node, "operator")?.text ?? node.children[0]!.text;
  const value = evaluateExpression(namedChildren(node).at(-1)!, scope);
  if (operator === "!") return negate(toBoolean(value, scope.language));
  if (operator === "-") return typeof value === "number" ? -value : unknownValue;
  if (operator === "&" || operator === "*") return value;
  if (operator === "typeof" && value !== unknownValue && !(value instanceof StoredState)) return typeof value;
  return unknownValue;
}

const isNumbers = (left: unknown, right: unknown): boolean =>
  typeof left === "number" && typeof right === "number";
const isStrings = (left: unknown, right: unknown): boolean =>
  typeof left === "string" && typeof right === "string";

function compare(operator: string, left: unknown, right: unknown): unknown {
  if (/^(?:==|===|is)$/.test(operator)) return equalValues(left, right);
  if (/^(?:!=|!==|is not)$/.test(operator)) return negate(equalValues(left, right));
  if (!isNumbers(left, right) && !isStrings(left, right)) return unknownValue;
  const [a, b] = [left as number, right as number];
  if (operator === "<") return a < b;
  if (operator === ">") return a > b;
  if (operator === "<=") return a <= b;
  return operator === ">=" ? a >= b : unknownValue;
}

function binary(node: SyntaxNode, scope: SourceScope): unknown {
  const operator = namedChild(node, "operator")!.text;
  const left = evaluateExpression(namedChild(node, "left")!, scope);
  const right = () => evaluateExpression(namedChild(node, "right")!, scope);
  if (operator === "??") return left === unknownValue ? unknownValue : left ?? right();
  const isAnd = operator === "&&" || operator === "and";
  if (isAnd || operator === "||" || operator === "or") {
    const holds = toBoolean(left, scope.language);
    if (holds !== unknownValue) return holds === isAnd ? right() : left;
    const other = toBoolean(right(), scope.language);
    return other === !isAnd ? other : unknownValue;
  }
  if (operator === "+") {
    const other = right();
    return isNumbers(left, other) || isStrings(left, other)
      ? left as number + (other as number)
      : unknownValue;
  }
  if (operator === "-" || operator === "*") {
    const other = right();
    if (!isNumbers(left, other)) return unknownValue;
    return operator === "-" ? (left as number) - (other as number) : (left as number) * (other as number);
  }
  if (operator === "in") return containsValue(right(), left);
  if (/^(?:[=!]==?|[<>]=?)$/.test(operator)) return compare(operator, left, right());
  right();
  return unknownValue;
}

/** Python: `a < b <= c`, `a not in b`. */
function comparison(node: SyntaxNode, scope: SourceScope): unknown {
  const operands = namedChildren(node).filter(({ field }) => field !== "operators").map((each) =>
    evaluateExpression(each, scope)
  );
  const operators = node.children.filter(({ field }) => field === "operators").map(({ text }) =>
    text.replaceAll(/\s+/g, " ")
  );
  const results = operators.map((operator, at) => {
    const [left, right] = [operands[at], operands[at + 1]];
    if (operator === "in") return containsValue(right, left);
    return operator === "not in" ? negate(containsValue(right, left)) : compare(operator, left, right);
  });
  if (results.includes(false)) return false;
  return results.includes(unknownValue) ? unknownValue : true;
}

function ternary(node: SyntaxNode, scope: SourceScope): unknown {
  const holds = toBoolean(evaluateExpression(namedChild(node, "condition")!, scope), scope.language);
  return holds === unknownValue
    ? unknownValue
    : evaluateExpression(namedChild(node, holds ? "consequence" : "alternative")!, scope);
}

function pythonTernary(node: SyntaxNode, scope: SourceScope): unknown {
  const [then, condition, otherwise] = namedChildren(node);
  const holds = toBoolean(evaluateExpression(condition!, scope), scope.language);
  return holds === unknownValue ? unknownValue : evaluateExpression(holds ? then! : otherwise!, scope);
}

function created(node: SyntaxNode, scope: SourceScope): unknown {
  const { callee, args } = callOf(node)!;
  const values = args.map((each) => evaluateExpression(each, scope));
  if (callee.text === "Set" && Array.isArray(values[0])) return values[0];
  if (/^(?:Map|Set|Date|Error|Array)$/.test(callee.text)) return unknownValue;
  throw new Unknown(`new ${callee.text}`);
}

function call(node: SyntaxNode, scope: SourceScope): unknown {
  const { callee, args } = callOf(node)!;
  const known = callBuiltIn(callee, args, scope, evaluateExpression);
  if (known !== undefined) return known.value;
  const isPlain = callee.type === "identifier" || /^(?:this|self)\.\w+$/.test(callee.text);
  const target = isPlain ? scope.index.find(calledName(callee), scope.tree.path) : undefined;
  if (!target || scope.has(callee.text)) throw new Unknown(callee.text);
  return callFunction(target, args.map((each) => evaluateExpression(each, scope)), scope);
}
