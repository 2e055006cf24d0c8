/** Tools in TypeScript and JavaScript: the SDK's `registerTool`, `tool` and request handlers, FastMCP, tables. */
import {
  type FindRegistrations,
  handlerKeys,
  type Registration,
  type RegistrationRequest,
} from "./registration.ts";
import { calledName, callOf, constantString, functionTypes } from "./source_index.ts";
import { descendants, namedChild, namedChildren, plainString, type SyntaxNode } from "./syntax.ts";

const registering = new Set(["registerTool", "tool", "addTool", "registerAppTool", "registerToolTask"]);

export const javascriptRegistrations: FindRegistrations = (request) => [
  ...registeringCalls(request),
  ...branches(request),
  ...tables(request),
];

const textOf = (node: SyntaxNode | undefined, root: SyntaxNode): string | undefined =>
  plainString(node) ?? (node?.type === "identifier" ? constantString(node.text, root) : undefined);

function registeringCalls({ root }: RegistrationRequest): Registration[] {
  return [...descendants(root)].flatMap((node) => {
    const call = callOf(node);
    if (!call || !registering.has(calledName(call.callee))) return [];
    const [first, ...more] = call.args.filter(({ type }) => type !== "this");
    const named = more.length > 0 && first?.type === "identifier" && textOf(first, root) === undefined
      ? more.shift()
      : first;
    if (named?.type === "object") return fromObject(named, root);
    const tool = textOf(named, root);
    const handler = more.at(-1);
    if (tool === undefined || handler === undefined || !answers(handler)) return [];
    return [answering(tool, named!.line, handler)];
  });
}

/** A description of a tool is none of these. */
const answers = ({ type }: SyntaxNode): boolean =>
  functionTypes.has(type) || /^(?:identifier|member_expression|call_expression)$/.test(type);

/** Registers a value that is given as a handler: a function, the name of one, or a call that wraps one. */
function answering(tool: string, line: number, value: SyntaxNode): Registration {
  if (functionTypes.has(value.type)) return { tool, line, body: value };
  if (value.type === "identifier" || value.type === "member_expression") {
    return { tool, line, reference: calledName(value), body: value };
  }
  const inner = [...descendants(value)].find(({ type }) => functionTypes.has(type));
  return { tool, line, body: inner ?? value, wrapped: true };
}

/** `{ name: "x", execute: async (input) => … }`. */
function fromObject(object: SyntaxNode, root: SyntaxNode): Registration[] {
  const entries = namedChildren(object);
  const name = entries.find((entry) => keyOf(entry) === "name");
  const tool = textOf(name && namedChild(name, "value"), root);
  return tool === undefined ? [] : handlerIn(object, tool, name!.line);
}

/** The function of an object that describes a tool, under whichever name such a function has. */
function handlerIn(object: SyntaxNode, tool: string, line: number): Registration[] {
  const handler = namedChildren(object).find((entry) => handlerKeys.has(keyOf(entry) ?? ""));
  if (handler === undefined) return [];
  if (handler.type === "method_definition") return [{ tool, line, body: handler }];
  if (handler.type === "shorthand_property_identifier") {
    return [{ tool, line, reference: handler.text, body: handler }];
  }
  const value = namedChild(handler, "value");
  return value ? [answering(tool, line, value)] : [];
}

const keyOf = (entry: SyntaxNode): string | undefined => {
  const key = entry.type === "shorthand_property_identifier"
    ? entry
    : namedChild(entry, "key") ?? namedChild(entry, "name");
  return plainString(key) ?? key?.text;
};

/** `switch (name) { case "x": … }` and `if (name === "x") { … }` in a function that answers all tools. */
function branches({ root, tools }: RegistrationRequest): Registration[] {
  const found: Registration[] = [];
  const visit = (node: SyntaxNode, inFunction: boolean): void => {
    const inside = inFunction || functionTypes.has(node.type);
    const tool = inside ? branchTool(node, root) : undefined;
    if (tool !== undefined && (tools?.has(tool) ?? true)) {
      found.push({ tool, line: node.line, body: node });
    }
    for (const each of node.children) visit(each, inside);
  };
  visit(root, false);
  return found;
}

const namesTool = (node: SyntaxNode | undefined): boolean =>
  /(?:^|\.|\b)(?:tool_?)?name\W*$/i.test(node?.text ?? "");

function branchTool(node: SyntaxNode, root: SyntaxNode): string | undefined {
  if (node.type === "switch_body") return undefined;
  if (node.type === "switch_case") return switchOf(node, root);
  if (node.type !== "if_statement") return undefined;
  const condition = namedChildren(namedChild(node, "condition"))[0];
  if (
    condition?.type !== "binary_expression" || !/^={2,3}$/.test(namedChild(condition, "operator")?.text ?? "")
  ) {
    return undefined;
  }
  const left = namedChild(condition, "left");
  const right = namedChild(condition, "right");
  if (namesTool(left)) return textOf(right, root);
  return namesTool(right) ? textOf(left, root) : undefined;
}

const switched = new WeakMap<SyntaxNode, Map<SyntaxNode, string>>();

/** The tool of a case, if the switch is over a name. */
function switchOf(node: SyntaxNode, root: SyntaxNode): string | undefined {
  const cases = switched.get(root) ?? allCases(root);
  switched.set(root, cases);
  return cases.get(node);
}

function allCases(root: SyntaxNode): Map<SyntaxNode, string> {
  const cases = new Map<SyntaxNode, string>();
  for (const node of descendants(root)) {
    if (node.type !== "switch_statement" || !namesTool(namedChild(node, "value"))) continue;
    for (const each of namedChildren(namedChild(node, "body"))) {
      const tool = textOf(namedChild(each, "value"), root);
      if (tool !== undefined) cases.set(each, tool);
    }
  }
  return cases;
}

/** Objects with a name and a function, and maps from names of tools to functions or to such objects. */
function tables({ root, tools }: RegistrationRequest): Registration[] {
  return [...descendants(root)].flatMap((node) => {
    if (node.type === "array" || node.type === "call_expression") return fromPair(node, root, tools);
    if (node.type !== "object") return [];
    const described = fromObject(node, root);
    if (described.length > 0) return tools === undefined || tools.has(described[0]!.tool) ? described : [];
    return namedChildren(node).flatMap((entry) => {
      const tool = keyOf(entry);
      if (tool === undefined || tools?.has(tool) !== true) return [];
      if (entry.type === "method_definition") {
        return [{ tool, line: entry.line, body: entry }];
      }
      const value = namedChild(entry, "value");
      if (value && functionTypes.has(value.type)) return [answering(tool, entry.line, value)];
      if (value?.type === "object") return handlerIn(value, tool, entry.line);
      return value?.type === "identifier" ? [answering(tool, entry.line, value)] : [];
    });
  });
}

/** `["x", handler]` in a `Map`, and `handlers.set("x", handler)`. */
function fromPair(node: SyntaxNode, root: SyntaxNode, tools: RegistrationRequest["tools"]): Registration[] {
  const call = callOf(node);
  if (call && calledName(call.callee) !== "set") return [];
  const [name, value, ...more] = call?.args ?? namedChildren(node);
  const tool = textOf(name, root);
  if (tool === undefined || value === undefined || more.length > 0 || tools?.has(tool) !== true) return [];
  if (value.type === "object") return handlerIn(value, tool, name!.line);
  const isFunction = functionTypes.has(value.type) || value.type === "identifier";
  return isFunction ? [answering(tool, name!.line, value)] : [];
}
