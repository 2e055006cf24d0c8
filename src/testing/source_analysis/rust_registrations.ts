/** Tools in Rust: rmcp's `#[tool]` attributes, and matches over a tool's name. */
import type { FindRegistrations, Registration, RegistrationRequest } from "./registration.ts";
import { descendants, namedChild, namedChildren, plainString, type SyntaxNode } from "./syntax.ts";

export const rustRegistrations: FindRegistrations = (
  request,
) => [...attributed(request), ...matched(request)];

/** `#[tool(description = "…")]` before a function; other attributes and comments may stand between. */
function attributed({ root }: RegistrationRequest): Registration[] {
  return [...descendants(root)].flatMap((parent) => {
    let attribute: SyntaxNode | undefined;
    return namedChildren(parent).flatMap((node) => {
      if (node.type === "attribute_item") {
        if (/^#\[\s*(?:rmcp::)?tool\s*[\](]/.test(node.text)) attribute = node;
        return [];
      }
      const mark = attribute;
      attribute = undefined;
      if (node.type !== "function_item" || mark === undefined) return [];
      const tool = nameIn(mark) ?? namedChild(node, "name")?.text;
      return tool === undefined ? [] : [{ tool, line: mark.line, body: node }];
    });
  });
}

/** `name = "x"` within the attribute. */
function nameIn(attribute: SyntaxNode): string | undefined {
  for (const tokens of descendants(attribute)) {
    if (tokens.type !== "token_tree") continue;
    const at = tokens.children.findIndex(({ type, text }) => type === "identifier" && text === "name");
    if (at >= 0 && tokens.children[at + 1]?.text === "=") return plainString(tokens.children[at + 2]);
  }
  return undefined;
}

/** `match request.name.as_ref() { "x" => … }`. */
function matched({ root, tools }: RegistrationRequest): Registration[] {
  const found: Registration[] = [];
  const visit = (node: SyntaxNode, inFunction: boolean): void => {
    const inside = inFunction || node.type === "function_item";
    if (
      inside && node.type === "match_expression" && /\bname\b/.test(namedChild(node, "value")?.text ?? "")
    ) {
      for (const arm of namedChildren(namedChild(node, "body"))) {
        const tool = plainString(namedChildren(namedChild(arm, "pattern"))[0]);
        if (tool !== undefined && (tools?.has(tool) ?? true)) {
          found.push({ tool, line: arm.line, body: arm });
        }
      }
    }
    for (const each of node.children) visit(each, inside);
  };
  visit(root, false);
  return found;
}
