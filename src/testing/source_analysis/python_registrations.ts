/** Tools in Python: FastMCP's decorators and `add_tool`, the low-level `call_tool`, tables. */
import {
  type FindRegistrations,
  handlerKeys,
  type Registration,
  type RegistrationRequest,
} from "./registration.ts";
import { calledName, callOf, constantString } from "./source_index.ts";
import { descendants, namedChild, namedChildren, plainString, type SyntaxNode } from "./syntax.ts";

export const pythonRegistrations: FindRegistrations = (request) => [
  ...decorated(request),
  ...added(request),
  ...branches(request),
  ...tables(request),
];

const textOf = (node: SyntaxNode | undefined, root: SyntaxNode): string | undefined =>
  plainString(node) ?? (node?.type === "identifier" ? constantString(node.text, root) : undefined);

const keyword = (args: readonly SyntaxNode[], name: string): SyntaxNode | undefined => {
  const found = args.find((each) =>
    each.type === "keyword_argument" && namedChild(each, "name")?.text === name
  );
  return found && namedChild(found, "value");
};

/** `@mcp.tool`, `@mcp.tool()`, `@tool("name")`, `@mcp.tool(name="name")`. */
function decorated({ root }: RegistrationRequest): Registration[] {
  return [...descendants(root)].flatMap((node) => {
    const body = node.type === "decorated_definition" ? namedChild(node, "definition") : undefined;
    if (body?.type !== "function_definition") return [];
    const decorators = namedChildren(node).filter(({ type }) => type === "decorator");
    const decorator = decorators.find((each) => /^@\s*(?:[\w.]+\.)?tool\b(?!\.)/.test(each.text));
    if (!decorator) return [];
    const args = callOf(namedChildren(decorator)[0]!)?.args ?? [];
    const given = keyword(args, "name") ?? args.find(({ type }) => type === "string");
    const tool = textOf(given, root) ?? namedChild(body, "name")?.text;
    if (tool === undefined) return [];
    const others = decorators.length > 1 ? { wrapped: true as const } : {};
    return [{ tool, line: node.line, body, ...others }];
  });
}

/** `mcp.add_tool(function, name="x")`. */
function added({ root }: RegistrationRequest): Registration[] {
  return [...descendants(root)].flatMap((node) => {
    const call = callOf(node);
    const handler = call?.args[0];
    if (!call || calledName(call.callee) !== "add_tool" || handler?.type !== "identifier") return [];
    const tool = textOf(keyword(call.args, "name"), root) ?? handler.text;
    return [{ tool, line: node.line, reference: handler.text, body: handler }];
  });
}

const namesTool = (node: SyntaxNode | undefined): boolean => /(?:^|\.|_)name$/.test(node?.text ?? "");

/** `if name == "x":`, `elif`, and `match name: case "x":` in the function that answers all tools. */
function branches({ root, tools }: RegistrationRequest): Registration[] {
  const found: Registration[] = [];
  const visit = (node: SyntaxNode, inFunction: boolean, subject: boolean): void => {
    const inside = inFunction || node.type === "function_definition";
    const matched = node.type === "match_statement" ? namesTool(namedChild(node, "subject")) : subject;
    const tool = inside ? branchTool(node, matched, root) : undefined;
    if (tool !== undefined && (tools?.has(tool) ?? true)) {
      found.push({ tool, line: node.line, body: node });
    }
    for (const each of node.children) visit(each, inside, matched);
  };
  visit(root, false, false);
  return found;
}

function branchTool(node: SyntaxNode, matched: boolean, root: SyntaxNode): string | undefined {
  if (node.type === "case_clause") {
    const pattern = namedChildren(node).find(({ type }) => type === "case_pattern");
    return matched ? textOf(namedChildren(pattern)[0], root) : undefined;
  }
  if (node.type !== "if_statement" && node.type !== "elif_clause") return undefined;
  const condition = namedChild(node, "condition");
  if (condition?.type !== "comparison_operator" || namedChild(condition, "operators")?.text !== "==") {
    return undefined;
  }
  const [left, right] = namedChildren(condition);
  return namesTool(left) ? textOf(right, root) : undefined;
}

/** `{"x": function}`, `{"x": {"call": function}}`, `{"name": "x", "call": function}`, `Tool(name="x", fn=function)`. */
function tables({ root, tools }: RegistrationRequest): Registration[] {
  return [...descendants(root)].flatMap((node) => {
    const [tool, value] = tableEntry(node, root);
    if (tool === undefined || tools?.has(tool) !== true || value === undefined) return [];
    const named = functionNamed(value);
    if (named === undefined) return [];
    return [{ tool, line: node.line, ...named }];
  });
}

/** A tool and what stands for it. */
function tableEntry(node: SyntaxNode, root: SyntaxNode): [string | undefined, SyntaxNode | undefined] {
  if (node.type === "pair") return [textOf(namedChild(node, "key"), root), namedChild(node, "value")];
  if (node.type === "dictionary") return [textOf(valueUnder(node, (key) => key === "name"), root), node];
  const call = callOf(node);
  return call ? [textOf(keyword(call.args, "name"), root), node] : [undefined, undefined];
}

/** The function itself, or the one that a description of a tool holds. */
function functionNamed(value: SyntaxNode): Pick<Registration, "reference" | "body"> | undefined {
  if (value.type === "lambda") return { body: value };
  if (value.type === "identifier" || /^self\.\w+$/.test(value.text)) {
    return { reference: calledName(value), body: value };
  }
  const inner = valueUnder(value, (key) => handlerKeys.has(key));
  return inner && inner !== value ? functionNamed(inner) : undefined;
}

/** Value of the first fitting key of a dictionary, or of the first such keyword of a call. */
function valueUnder(node: SyntaxNode, fits: (key: string) => boolean): SyntaxNode | undefined {
  const entries = node.type === "dictionary" ? namedChildren(node) : callOf(node)?.args ?? [];
  const found = entries.find((entry) => {
    const key = namedChild(entry, "key") ?? namedChild(entry, "name");
    return key !== undefined && fits(plainString(key) ?? key.text);
  });
  return found && namedChild(found, "value");
}
