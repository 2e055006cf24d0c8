/** What calls the functions of a table, and what becomes of the errors that they throw. */
import { reportsFailures } from "./failures.ts";
import { handlerKeys, type Registration } from "./registration.ts";
import { calledName, callOf, functionTypes, type SourceIndex } from "./source_index.ts";
import { namedChild, namedChildren, plainString, type SourceLanguage, type SyntaxNode } from "./syntax.ts";
import type { Throws } from "./values.ts";

interface Dispatch {
  language: SourceLanguage;
  /** Each input is a parameter of its own: `tool(**arguments)`. */
  spreads: boolean;
  /** Registers the function with an SDK instead of calling it: what it throws, the SDK tells. */
  registers: boolean;
  /** What stands around it in the same function, innermost first. */
  attempts: SyntaxNode[];
  /** The function that it stands in. */
  inside: SyntaxNode | undefined;
}

const known = new WeakMap<SourceIndex, Dispatch[]>();

/** Every place of the plugin that calls, or registers, what it looked up in a table of tools. */
function dispatches(index: SourceIndex): Dispatch[] {
  const found = known.get(index) ?? index.trees.flatMap(({ root, language }) => dispatchesIn(root, language));
  known.set(index, found);
  return found;
}

function dispatchesIn(root: SyntaxNode, language: SourceLanguage): Dispatch[] {
  const found: Dispatch[] = [];
  const visit = (node: SyntaxNode, inside: SyntaxNode | undefined, attempts: SyntaxNode[]): void => {
    const place = { language, attempts, inside };
    const way = wayOf(node);
    if (way) found.push({ ...place, ...way });
    const isFunction = functionTypes.has(node.type);
    for (const each of node.children) {
      const around = node.type === "try_statement" && each.field === "body" ? [node, ...attempts] : attempts;
      visit(each, isFunction ? node : inside, isFunction ? [] : around);
    }
  };
  visit(root, undefined, []);
  return found;
}

const registering = /^(?:registerTool|addTool|add_tool|tool|from_function)$/;
const isInput = /\b(?:\w*args|\w*arguments|\w*input|\w*params|kwargs)\b/i;

function wayOf(node: SyntaxNode): { spreads: boolean; registers: boolean } | undefined {
  const call = callOf(node);
  if (!call || call.args.length === 0) return undefined;
  if (registering.test(calledName(call.callee)) && call.args.some(isLookUp)) {
    return { spreads: true, registers: true };
  }
  const [first] = call.args;
  const isHandler = isLookUp(call.callee) || handlerKeys.has(call.callee.text);
  if (!isHandler || !isInput.test(first!.text)) return undefined;
  return { spreads: first!.type === "dictionary_splat", registers: false };
}

/** `tool.handler`, `tool["handler"]`, `handlers[name]`. */
function isLookUp(node: SyntaxNode): boolean {
  if (/^(?:member_expression|attribute)$/.test(node.type)) return handlerKeys.has(calledName(node));
  if (!/^subscript/.test(node.type)) return false;
  const key = namedChild(node, "index") ?? namedChild(node, "subscript");
  const name = plainString(key);
  return name === undefined ? /name$/i.test(key?.text ?? "") : handlerKeys.has(name);
}

/** How the table's functions are given their input; undefined where nothing of the plugin shows it. */
export function tableTakes(
  handler: SyntaxNode,
  index: SourceIndex,
  language: SourceLanguage,
): Registration["takes"] | undefined {
  const ways = dispatches(index).filter((each) => family(each.language) === family(language));
  const spreads = new Set(ways.map(({ spreads }) => spreads && language === "python"));
  if (spreads.size !== 1) return undefined;
  if (spreads.has(true)) return "each";
  return language === "python" && required(handler) > 1 ? undefined : "input";
}

const family = (language: SourceLanguage): string => language.replace("typescript", "javascript");

const required = (handler: SyntaxNode): number =>
  namedChildren(namedChild(handler, "parameters")).filter(({ type, text }) =>
    !/default/.test(type) && text !== "self"
  )
    .length;

/** Whether an error of a table's function surely becomes the tool's answer, in its own words. */
export const dispatchDecides = ({ thrown }: Throws, index: SourceIndex): boolean =>
  !thrown ||
  dispatches(index).every(({ attempts }) => attempts.every((attempt) => reportsFailures(attempt, index)));

/** Whether whoever calls the table's functions looks at nothing of the input before. */
export const passesOn = (index: SourceIndex): boolean =>
  dispatches(index).every(({ registers, inside }) =>
    !registers && inside !== undefined && !looksAtInput(inside)
  );

/** Whether whoever calls the table's functions may refuse an input in words of its own. */
export const mayRefuseFirst = (index: SourceIndex): boolean =>
  dispatches(index).some(({ registers, inside }) =>
    !registers && inside !== undefined && looksAtInput(inside)
  );

function looksAtInput(node: SyntaxNode): boolean {
  const condition = /^(?:if_statement|elif_clause|ternary_expression|conditional_expression)$/.test(node.type)
    ? namedChild(node, "condition") ?? namedChildren(node)[1]
    : undefined;
  return (condition !== undefined &&
    isInput.test(condition.text.replaceAll(/params\.name|["'][^"']*["']/g, ""))) ||
    node.children.some(looksAtInput);
}
