/** Tools in Go: mcp-go's `AddTool` and the official SDK's `mcp.AddTool`. */
import type { FindRegistrations, Registration } from "./registration.ts";
import { calledName, callOf, constantString } from "./source_index.ts";
import { descendants, namedChild, namedChildren, plainString, type SyntaxNode } from "./syntax.ts";

const registering = new Set(["AddTool", "AddSessionTool", "RegisterTool"]);

export const goRegistrations: FindRegistrations = ({ root }) =>
  [...descendants(root)].flatMap((node): Registration[] => {
    const call = callOf(node);
    if (!call || !registering.has(calledName(call.callee)) || call.args.length < 2) return [];
    const handler = call.args.at(-1)!;
    const described = call.args.at(-2)!;
    const tool = toolName(described, root);
    if (tool === undefined) return [];
    const common = { tool, line: described.line };
    if (handler.type === "func_literal") return [{ ...common, body: handler }];
    if (handler.type === "identifier" || handler.type === "selector_expression") {
      return [{ ...common, reference: calledName(handler), body: handler }];
    }
    const inner = [...descendants(handler)].find(({ type }) => type === "func_literal");
    return [{ ...common, body: inner ?? handler, wrapped: true }];
  });

/** `mcp.NewTool("x", …)`, `&mcp.Tool{Name: "x"}`, or a variable that holds one of them. */
function toolName(node: SyntaxNode, root: SyntaxNode): string | undefined {
  if (node.type === "identifier") {
    const value = valueOf(node.text, root);
    return value && toolName(value, root);
  }
  for (const each of descendants(node)) {
    const call = callOf(each);
    if (call && /^NewTool/.test(calledName(call.callee))) return textOf(call.args[0], root);
    if (each.type === "keyed_element" && namedChild(each, "key")?.text === "Name") {
      return textOf(namedChildren(namedChild(each, "value"))[0], root);
    }
  }
  return plainString(node);
}

const textOf = (node: SyntaxNode | undefined, root: SyntaxNode): string | undefined =>
  plainString(node) ?? (node?.type === "identifier" ? constantString(node.text, root) : undefined);

function valueOf(name: string, root: SyntaxNode): SyntaxNode | undefined {
  for (const node of descendants(root)) {
    const target = namedChild(node, "left") ?? namedChild(node, "name");
    const value = namedChild(node, "right") ?? namedChild(node, "value");
    if (target?.text === name && value !== undefined) return namedChildren(value)[0] ?? value;
  }
  return undefined;
}
