/**
 * What a handler does with a given input, as far as its source alone tells it: it fails at a certain line, or goes on to
 * where only a real run tells more.
 */
import { isObject } from "../../core/values.ts";
import { bindNames, bindParameters } from "./bind_names.ts";
import { evaluateExpression } from "./evaluate_expression.ts";
import { reportsFailures, thrownError } from "./failures.ts";
import { SourceScope } from "./source_scope.ts";
import type { NamedFunction } from "./source_index.ts";
import { namedChild, namedChildren, plainString, type SyntaxNode } from "./syntax.ts";
import { equalValues, Throws, toBoolean, Unknown, unknownValue } from "./values.ts";

/** What a statement ends in; undefined goes on. */
type Done = { returned: unknown } | undefined;
type Execute = (node: SyntaxNode, scope: SourceScope) => Done;

const deepest = 4;

/** The value that a function of the plugin returns. @throws {Fails} {Unknowable} */
export function callFunction(callee: NamedFunction, args: unknown[], caller: SourceScope): unknown {
  if (caller.depth > deepest) throw new Unknown("too deep");
  const scope = caller.forFunction(callee);
  bindParameters(callee.node, args, scope);
  return executeFunction(callee.node, scope);
}

/** @throws {Fails} {Unknowable} */
export function executeFunction(node: SyntaxNode, scope: SourceScope): unknown {
  const body = namedChild(node, "body");
  if (body === undefined) throw new Unknown("no body");
  const isBlock = /block|body/.test(body.type);
  const done = isBlock ? executeAll(namedChildren(body), scope, true) : returned(body, scope);
  return done?.returned;
}

/** @param last whether the value of the last expression is what the function returns (Rust) */
export function executeAll(nodes: readonly SyntaxNode[], scope: SourceScope, last = false): Done {
  for (const [at, node] of nodes.entries()) {
    const isTail = last && at === nodes.length - 1 && scope.language === "rust";
    const done = isTail && !node.type.endsWith("_statement") && !node.type.endsWith("_declaration")
      ? tail(node, scope)
      : execute(node, scope);
    if (done) return done;
  }
  return undefined;
}

function execute(node: SyntaxNode, scope: SourceScope): Done {
  const statement = statements[node.type];
  if (statement === undefined) throw new Unknown(node.type);
  return statement(node, scope);
}

const nothing: Execute = () => undefined;
const block: Execute = (node, scope) => executeAll(namedChildren(node), scope);

const statements: Record<string, Execute> = {
  statement_block: block,
  block,
  statement_list: block,
  comment: nothing,
  empty_statement: nothing,
  pass_statement: nothing,
  function_declaration: nothing,
  function_definition: nothing,
  import_statement: nothing,
  import_from_statement: nothing,
  type_alias_declaration: nothing,
  interface_declaration: nothing,
  else_clause: block,
  break_statement: nothing,
  expression_statement: expression,
  lexical_declaration: declaration,
  variable_declaration: declaration,
  let_declaration: (node, scope) => declared(namedChild(node, "pattern"), namedChild(node, "value"), scope),
  short_var_declaration: (node, scope) =>
    declared(namedChild(node, "left"), namedChild(node, "right"), scope),
  assignment_statement: (node, scope) => declared(namedChild(node, "left"), namedChild(node, "right"), scope),
  if_statement: condition,
  if_expression: condition,
  elif_clause: condition,
  switch_statement: choice,
  match_statement: choice,
  throw_statement: fails,
  raise_statement: fails,
  return_statement: answer,
  return_expression: answer,
  try_statement: attempt,
};

function expression(node: SyntaxNode, scope: SourceScope): Done {
  for (const each of namedChildren(node)) {
    if (statements[each.type] !== undefined && each.type !== "block") {
      const done = execute(each, scope);
      if (done) return done;
    } else if (/^(?:assignment|assignment_expression)$/.test(each.type)) {
      declared(namedChild(each, "left"), namedChild(each, "right"), scope);
    } else if (each.type.startsWith("augmented_assignment")) {
      bindNames(namedChild(each, "left")!, unknownValue, scope);
    } else if (!/^(?:string|await_expression)$/.test(each.type) || each.type === "await_expression") {
      if (each.type !== "string") evaluateExpression(each, scope);
    }
  }
  return undefined;
}

function declaration(node: SyntaxNode, scope: SourceScope): Done {
  for (const each of namedChildren(node).filter(({ type }) => type === "variable_declarator")) {
    declared(namedChild(each, "name"), namedChild(each, "value"), scope);
  }
  return undefined;
}

function declared(target: SyntaxNode | undefined, value: SyntaxNode | undefined, scope: SourceScope): Done {
  if (target === undefined) throw new Unknown("no target");
  bindNames(target, value === undefined ? undefined : valueFor(target, value, scope), scope);
  return undefined;
}

/** Go: `value, err := …` and `value, ok := …`, of which the second follows from the first. */
function valueFor(target: SyntaxNode, value: SyntaxNode, scope: SourceScope): unknown {
  // A function is only kept here.
  if (/arrow_function|function_expression|lambda|closure|func_literal/.test(value.type)) return unknownValue;
  // What a template makes of its parts can be known, and cannot fail.
  if (value.type === "template_string" || value.type === "string") return plainString(value) ?? unknownValue;
  if (value.type !== "expression_list") return evaluateExpression(value, scope);
  const values = namedChildren(value).map((each) => evaluateExpression(unasserted(each), scope));
  const names = namedChildren(target);
  if (names.length !== 2 || values.length !== 1) {
    return values.length === 1 && names.length === 1 ? values[0] : values;
  }
  const [first] = values;
  if (/^err/.test(names[1]!.text)) {
    if (first === undefined || first === unknownValue) throw new Unknown("err");
    return [first, null];
  }
  return [first ?? "", first === unknownValue ? unknownValue : first !== undefined];
}

/** `value.(string)`. */
const unasserted = (node: SyntaxNode): SyntaxNode =>
  node.type === "type_assertion_expression" ? namedChild(node, "operand") ?? node : node;

function condition(node: SyntaxNode, scope: SourceScope): Done {
  const inner = new SourceScope(scope.tree, scope.index, { outer: scope });
  const initializer = namedChild(node, "initializer");
  if (initializer) execute(initializer, inner);
  const test = namedChild(node, "condition")!;
  const holds = toBoolean(evaluateExpression(test, inner), scope.language);
  if (holds === unknownValue) throw new Unknown(test.text);
  if (holds) return withReason(test, () => execute(namedChild(node, "consequence")!, inner));
  for (const alternative of node.children.filter(({ field }) => field === "alternative")) {
    if (alternative.type === "elif_clause") {
      const tested = toBoolean(
        evaluateExpression(namedChild(alternative, "condition")!, inner),
        scope.language,
      );
      if (tested === unknownValue) throw new Unknown(alternative.text);
      if (tested) return condition(alternative, inner);
    } else {return executeAll(
        namedChildren(alternative.type === "else_clause" ? elseBody(alternative) : alternative),
        inner,
      );}
  }
  return undefined;
}

const elseBody = (node: SyntaxNode): SyntaxNode => namedChild(node, "body") ?? node;

/** The condition that an error branch stands under is part of why it is told. */
function withReason(test: SyntaxNode, work: () => Done): Done {
  try {
    return work();
  } catch (error) {
    if (error instanceof Throws) {
      error.condition ??= test.text.replace(/^\(([\s\S]*)\)$/, "$1").replaceAll(/\s+/g, " ");
    }
    throw error;
  }
}

/** `switch` and `match` over a value that is known. */
function choice(node: SyntaxNode, scope: SourceScope): Done {
  const value = evaluateExpression(namedChild(node, "value") ?? namedChild(node, "subject")!, scope);
  if (value === unknownValue) throw new Unknown("switch");
  for (const each of namedChildren(namedChild(node, "body"))) {
    const pattern = each.type === "case_clause"
      ? namedChildren(namedChildren(each)[0])[0]
      : namedChild(each, "value");
    const matches = pattern !== undefined && equalValues(evaluateExpression(pattern, scope), value) === true;
    if (!matches && !/default/.test(each.type)) continue;
    if (each.type === "case_clause") return execute(namedChild(each, "consequence")!, scope);
    return executeAll(each.children.filter(({ field, named }) => field === "body" && named), scope);
  }
  return undefined;
}

function fails(node: SyntaxNode, scope: SourceScope): Done {
  const failure = thrownError(node, scope);
  if (failure) throw failure;
  throw new Unknown("an error that is made elsewhere");
}

function answer(node: SyntaxNode, scope: SourceScope): Done {
  const failure = thrownError(node, scope);
  if (failure) throw failure;
  const value = namedChildren(node)[0];
  return value === undefined ? { returned: undefined } : returned(value, scope);
}

function tail(node: SyntaxNode, scope: SourceScope): Done {
  const failure = thrownError(node, scope);
  if (failure) throw failure;
  return statements[node.type] === undefined ? returned(node, scope) : execute(node, scope);
}

/** What is returned; by the handler itself, an answer with an error is one. */
function returned(node: SyntaxNode, scope: SourceScope): Done {
  const value = evaluateExpression(node, scope);
  if (!scope.answers || !isObject(value) || value.isError !== true) return { returned: value };
  const [first] = Array.isArray(value.content) ? value.content : [];
  const text = isObject(first) ? first.text : undefined;
  if (typeof text !== "string" || text.length < 4 || text.includes("\n")) {
    throw new Unknown("an answer with an error");
  }
  const failure = new Throws(text, scope.tree.path, node.line, "answers isError", false);
  failure.condition = namedChild(node, "condition")?.text;
  throw failure;
}

/** What is thrown in it is told only if the handler of errors tells it. */
function attempt(node: SyntaxNode, scope: SourceScope): Done {
  try {
    return execute(namedChild(node, "body")!, scope);
  } catch (error) {
    if (error instanceof Throws && error.thrown && !reportsFailures(node, scope.index)) {
      throw new Unknown("caught");
    }
    throw error;
  }
}
