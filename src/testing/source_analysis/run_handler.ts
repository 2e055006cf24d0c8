/** Runs a tool's handler abstractly, with the input where its way of registration puts it. */
import type { FoundHandler } from "./handlers.ts";
import { bind, bindParameters } from "./bind.ts";
import { dispatchTells, tableTakes } from "./dispatch.ts";
import { executeFunction } from "./execute.ts";
import { Scope } from "./scope.ts";
import type { SourceIndex } from "./source_index.ts";
import { child, parts, type SyntaxNode } from "./syntax.ts";
import { Fails, Unknowable, unknown } from "./values.ts";

/**
 * The error that the handler surely answers an input with, or undefined where the source tells of none.
 * @param defaults of the parameters that have one: some servers put them in before the handler runs, others do not
 */
export function failureWith(
  handler: FoundHandler,
  input: Record<string, unknown>,
  defaults: Record<string, unknown>,
  index: SourceIndex,
): Fails | undefined {
  const failure = walk(handler, input, index);
  if (!failure || Object.keys(defaults).every((name) => Object.hasOwn(input, name))) return failure;
  const other = walk(handler, { ...defaults, ...input }, index);
  return other?.path === failure.path && other.line === failure.line ? failure : undefined;
}

function walk(
  { registration, node, path, tool }: FoundHandler,
  input: Record<string, unknown>,
  index: SourceIndex,
): Fails | undefined {
  const tree = index.trees.find((each) => each.path === path);
  if (registration.wrapped || tree === undefined) return undefined;
  const answers = registration.dispatcher ?? node;
  const scope = new Scope(tree, index);
  try {
    const takes = registration.table ? tableTakes(answers, index, tree.language) : registration.takes;
    if (takes === undefined) return undefined;
    bindInput(answers, takes, tool, input, scope);
    executeFunction(answers, scope);
    return undefined;
  } catch (error) {
    if (error instanceof Fails) return registration.table && !dispatchTells(error, index) ? undefined : error;
    if (error instanceof Unknowable) return undefined;
    throw error;
  }
}

function bindInput(
  node: SyntaxNode,
  takes: FoundHandler["registration"]["takes"],
  tool: string,
  input: Record<string, unknown>,
  scope: Scope,
): void {
  switch (takes) {
    case "input":
      return bindParameters(node, [input, unknown], scope);
    case "each":
      return bindEach(node, input, scope);
    case "go":
      return bindParameters(node, [unknown, { Params: { Name: tool, Arguments: input } }], scope);
    case "typed":
      return scope.language === "go"
        ? bindParameters(node, [unknown, unknown, input], scope)
        : bindTyped(node, input, scope);
    case "dispatch": {
      const count = child(node, "parameter") ? 1 : parts(child(node, "parameters")).length;
      const call = { name: tool, arguments: input };
      return bindParameters(node, count === 1 ? [{ ...call, params: call }] : [tool, input], scope);
    }
  }
}

/** Python: parameters have the names of the inputs. */
function bindEach(node: SyntaxNode, input: Record<string, unknown>, scope: Scope): void {
  const list = parts(child(node, "parameters"));
  const names = list.map((each) => /^\w+/.exec(each.text)?.[0] ?? "");
  const isContext = (text: string) => /:\s*(?:\w+\.)*Context\b/.test(text);
  const given = names.map((name, at) =>
    Object.hasOwn(input, name) ? input[name] : isContext(list[at]!.text) ? unknown : undefined
  );
  bindParameters(node, given, scope);
}

/** Rust: `Parameters(pattern)` holds the input; what else there is, PTH does not give. */
function bindTyped(node: SyntaxNode, input: Record<string, unknown>, scope: Scope): void {
  for (const parameter of parts(child(node, "parameters"))) {
    const pattern = child(parameter, "pattern");
    if (pattern) bind(pattern, pattern.text.startsWith("Parameters") ? input : unknown, scope);
  }
}
