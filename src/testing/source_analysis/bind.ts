/** Gives names their values: parameters, destructuring, patterns. */
import { isObject } from "../../core/values.ts";
import { evaluate } from "./evaluate.ts";
import { property, type Scope } from "./scope.ts";
import { child, parts, plainString, type SyntaxNode } from "./syntax.ts";
import { KeptState, Unknowable, unknown } from "./values.ts";

/** @throws {Unknowable} for a pattern that is not understood */
export function bind(target: SyntaxNode, value: unknown, scope: Scope): void {
  switch (target.type) {
    case "identifier":
    case "shorthand_property_identifier_pattern":
      return scope.set(target.text, value);
    case "expression_list": {
      const names = parts(target);
      return names.forEach((name, at) => bind(name, names.length === 1 ? value : itemOf(value, at), scope));
    }
    case "object_pattern":
      return parts(target).forEach((entry) => bindEntry(entry, value, scope));
    case "assignment_pattern":
    case "object_assignment_pattern":
      return bind(child(target, "left")!, value === undefined ? defaultOf(target, scope) : value, scope);
    case "blank_identifier":
    case "member_expression":
    case "subscript_expression":
    case "subscript":
    case "attribute":
    case "index_expression":
      // What is written into an object or into state does not come back to the names here.
      return;
    case "mut_pattern":
      return bind(parts(target).at(-1)!, value, scope);
    case "tuple_struct_pattern":
      // `Parameters(inner)`: rmcp's wrapper of the input.
      return bind(parts(target).at(-1)!, value, scope);
    case "struct_pattern":
      return parts(target).filter(({ type }) => type === "field_pattern").forEach((field) => {
        const name = child(field, "name")!.text;
        bindName(child(field, "pattern") ?? child(field, "name")!, name, value, scope);
      });
    default:
      if (/^[\w$]+$/.test(target.text)) return scope.set(target.text, value);
      throw new Unknowable(target.type);
  }
}

function bindName(target: SyntaxNode, name: string, value: unknown, scope: Scope): void {
  const part = isObject(value) && !(value instanceof KeptState)
    ? property(value, name, scope.language)
    : unknown;
  if (/identifier$/.test(target.type)) scope.set(target.text, part);
  else bind(target, part, scope);
}

function bindEntry(entry: SyntaxNode, value: unknown, scope: Scope): void {
  if (entry.type === "shorthand_property_identifier_pattern") {
    return bindName(entry, entry.text, value, scope);
  }
  if (entry.type === "object_assignment_pattern") {
    const left = child(entry, "left")!;
    bindName(left, left.text, value, scope);
    if (scope.get(left.text) === undefined) scope.set(left.text, defaultOf(entry, scope));
    return;
  }
  if (entry.type === "pair_pattern") {
    const key = child(entry, "key")!;
    const part = isObject(value) ? property(value, plainString(key) ?? key.text, scope.language) : unknown;
    return bind(child(entry, "value")!, part, scope);
  }
  // `...rest`: what it holds is not told apart.
  for (const name of parts(entry)) scope.set(name.text, unknown);
}

const defaultOf = (pattern: SyntaxNode, scope: Scope): unknown => evaluate(child(pattern, "right")!, scope);

const itemOf = (value: unknown, at: number): unknown => Array.isArray(value) ? value[at] : unknown;

/** Parameters in their order; those that nothing is given for take their defaults. */
export function bindParameters(node: SyntaxNode, args: readonly unknown[], scope: Scope): void {
  const single = child(node, "parameter");
  const list = single
    ? [single]
    : parts(child(node, "parameters")).filter(({ text }) => !/^&?(?:mut )?self$/.test(text));
  list.forEach((parameter, at) => bindParameter(parameter, args[at], scope));
}

function bindParameter(parameter: SyntaxNode, value: unknown, scope: Scope): void {
  const fallback = child(parameter, "value");
  const given = value === undefined && fallback ? evaluate(fallback, scope) : value;
  const target = child(parameter, "pattern") ?? child(parameter, "name") ??
    (parameter.named && parameter.children.length > 0 && !/pattern|identifier/.test(parameter.type)
      ? parts(parameter)[0]!
      : parameter);
  bind(target, given, scope);
}
