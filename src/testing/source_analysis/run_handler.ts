/** Runs a tool's handler abstractly, with the input where its way of registration puts it. */
import type { FoundHandler } from "./handlers.ts";
import { bindNames, bindParameters } from "./bind_names.ts";
import { dispatchDecides, tableTakes } from "./dispatch.ts";
import { executeFunction } from "./execute.ts";
import { SourceScope } from "./source_scope.ts";
import type { SourceIndex } from "./source_index.ts";
import { namedChild, namedChildren, type SyntaxNode } from "./syntax.ts";
import { Throws, Unknown, unknownValue } from "./values.ts";

/**
 * The error that the handler surely answers an input with, or undefined where the source tells of none.
 * @param defaults of the parameters that have one: some servers put them in before the handler runs, others do not
 */
export function runHandler(
  handler: FoundHandler,
  input: Record<string, unknown>,
  defaults: Record<string, unknown>,
  index: SourceIndex,
): Throws | undefined {
  const failure = walk(handler, input, index);
  if (!failure || Object.keys(defaults).every((name) => Object.hasOwn(input, name))) return failure;
  const other = walk(handler, { ...defaults, ...input }, index);
  return other?.path === failure.path && other.line === failure.line ? failure : undefined;
}

function walk(
  { registration, node, path, tool }: FoundHandler,
  input: Record<string, unknown>,
  index: SourceIndex,
): Throws | undefined {
  const tree = index.trees.find((each) => each.path === path);
  if (registration.wrapped || tree === undefined) return undefined;
  const answers = registration.dispatcher ?? node;
  const scope = new SourceScope(tree, index);
  try {
    const takes = registration.table ? tableTakes(answers, index, tree.language) : registration.takes;
    if (takes === undefined) return undefined;
    bindInput(answers, takes, tool, input, scope);
    executeFunction(answers, scope);
    return undefined;
  } catch (error) {
    if (error instanceof Throws) {
      return registration.table && !dispatchDecides(error, index) ? undefined : error;
    }
    if (error instanceof Unknown) return undefined;
    throw error;
  }
}

function bindInput(
  node: SyntaxNode,
  takes: FoundHandler["registration"]["takes"],
  tool: string,
  input: Record<string, unknown>,
  scope: SourceScope,
): void {
  switch (takes) {
    case "input":
      return bindParameters(node, [input, unknownValue], scope);
    case "each":
      return bindEach(node, input, scope);
    case "go":
      return bindParameters(node, [unknownValue, { Params: { Name: tool, Arguments: input } }], scope);
    case "typed":
      return scope.language === "go"
        ? bindParameters(node, [unknownValue, unknownValue, input], scope)
        : bindTyped(node, input, scope);
    case "dispatch": {
      const count = namedChild(node, "parameter") ? 1 : namedChildren(namedChild(node, "parameters")).length;
      const call = { name: tool, arguments: input };
      return bindParameters(node, count === 1 ? [{ ...call, params: call }] : [tool, input], scope);
    }
  }
}

/** Python: parameters have the names of the inputs. */
function bindEach(node: SyntaxNode, input: Record<string, unknown>, scope: SourceScope): void {
  const list = namedChildren(namedChild(node, "parameters"));
  const names = list.map((each) => /^\w+/.exec(each.text)?.[0] ?? "");
  const isContext = (text: string) => /:\s*(?:\w+\.)*Context\b/.test(text);
  const given = names.map((name, at) =>
    Object.hasOwn(input, name) ? input[name] : isContext(list[at]!.text) ? unknownValue : undefined
  );
  bindParameters(node, given, scope);
}

/** Rust: `Parameters(pattern)` holds the input; what else there is, PTH does not give. */
function bindTyped(node: SyntaxNode, input: Record<string, unknown>, scope: SourceScope): void {
  for (const parameter of namedChildren(namedChild(node, "parameters"))) {
    const pattern = namedChild(parameter, "pattern");
    if (pattern) bindNames(pattern, pattern.text.startsWith("Parameters") ? input : unknownValue, scope);
  }
}
