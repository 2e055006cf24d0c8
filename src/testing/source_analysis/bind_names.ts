/** Gives names their values: parameters, destructuring, patterns. */
import { isObject } from "../../core/values.ts";
import { evaluateExpression } from "./evaluate_expression.ts";
import { readProperty, type SourceScope } from "./source_scope.ts";
import { namedChild, namedChildren, plainString, type SyntaxNode } from "./syntax.ts";
import { StoredState, Unknown, unknownValue } from "./values.ts";

/** @throws {Unknowable} for a pattern that is not understood */
export function bindNames(target: SyntaxNode, value: unknown, scope: SourceScope): void {
  switch (target.type) {
    case "identifier":
    case "shorthand_property_identifier_pattern":
      return scope.set(target.text, value);
    case "expression_list": {
      const names = namedChildren(target);
      return names.forEach((name, at) =>
        bindNames(name, names.length === 1 ? value : itemOf(value, at), scope)
      );
    }
    case "object_pattern":
      return namedChildren(target).forEach((entry) => bindEntry(entry, value, scope));
    case "assignment_pattern":
    case "object_assignment_pattern":
      return bindNames(
        namedChild(target, "left")!,
        value === undefined ? defaultOf(target, scope) : value,
        scope,
      );
    case "blank_identifier":
    case "member_expression":
    case "subscript_expression":
    case "subscript":
    case "attribute":
    case "index_expression":
      // What is written into an object or into state does not come back to the names here.
      return;
    case "mut_pattern":
      return bindNames(namedChildren(target).at(-1)!, value, scope);
    case "tuple_struct_pattern":
      // `Parameters(inner)`: rmcp's wrapper of the input.
      return bindNames(namedChildren(target).at(-1)!, value, scope);
    case "struct_pattern":
      return namedChildren(target).filter(({ type }) => type === "field_pattern").forEach((field) => {
        const name = namedChild(field, "name")!.text;
        bindName(namedChild(field, "pattern") ?? namedChild(field, "name")!, name, value, scope);
      });
    default:
      if (/^[\w$]+$/.test(target.text)) return scope.set(target.text, value);
      throw new Unknown(target.type);
  }
}

function bindName(target: SyntaxNode, name: string, value: unknown, scope: SourceScope): void {
  const part = isObject(value) && !(value instanceof StoredState)
    ? readProperty(value, name, scope.language)
    : unknownValue;
  if (/identifier$/.test(target.type)) scope.set(target.text, part);
  else bindNames(target, part, scope);
}

function bindEntry(entry: SyntaxNode, value: unknown, scope: SourceScope): void {
  if (entry.type === "shorthand_property_identifier_pattern") {
    return bindName(entry, entry.text, value, scope);
  }
  if (entry.type === "object_assignment_pattern") {
    const left = namedChild(entry, "left")!;
    bindName(left, left.text, value, scope);
    if (scope.get(left.text) === undefined) scope.set(left.text, defaultOf(entry, scope));
    return;
  }
  if (entry.type === "pair_pattern") {
    const key = namedChild(entry, "key")!;
    const part = isObject(value)
      ? readProperty(value, plainString(key) ?? key.text, scope.language)
      : unknownValue;
    return bindNames(namedChild(entry, "value")!, part, scope);
  }
  // `...rest`: what it holds is not told apart.
  for (const name of namedChildren(entry)) scope.set(name.text, unknownValue);
}

const defaultOf = (pattern: SyntaxNode, scope: SourceScope): unknown =>
  evaluateExpression(namedChild(pattern, "right")!, scope);

const itemOf = (value: unknown, at: number): unknown => Array.isArray(value) ? value[at] : unknownValue;

/** Parameters in their order; those that nothing is given for take their defaults. */
export function bindParameters(node: SyntaxNode, args: readonly unknown[], scope: SourceScope): void {
  const single = namedChild(node, "parameter");
  const list = single
    ? [single]
    : namedChildren(namedChild(node, "parameters")).filter(({ text }) => !/^&?(?:mut )?self$/.test(text));
  list.forEach((parameter, at) => bindParameter(parameter, args[at], scope));
}

function bindParameter(parameter: SyntaxNode, value: unknown, scope: SourceScope): void {
  const fallback = namedChild(parameter, "value");
  const given = value === undefined && fallback ? evaluateExpression(fallback, scope) : value;
  const target = namedChild(parameter, "pattern") ?? namedChild(parameter, "name") ??
    (parameter.named && parameter.children.length > 0 && !/pattern|identifier/.test(parameter.type)
      ? namedChildren(parameter)[0]!
      : parameter);
  bindNames(target, given, scope);
}
