/** Values that a handler's source compares a parameter with: inputs on both sides of each condition. */
import type { FoundHandler } from "./handlers.ts";
import { descendants, namedChild, namedChildren, plainString, type SyntaxNode } from "./syntax.ts";

export interface ComparedValue {
  parameter: string;
  value: number | string;
  /** Place of the condition, relative to the plugin's folder. */
  path: string;
  line: number;
  condition: string;
}

/** Numbers beyond it are not tried, and no text is longer. */
const largest = 10_000;
const operators = /^(?:[<>]=?|[=!]==?)$/;
const numeric = /^(?:number|integer|float|int_literal|integer_literal|float_literal)$/;
const length = /\.(?:length|len\(\)|size)\b|\blen\(/;

/** Values for the parameters named, in the order of the source, each once. */
export function comparedValues(handler: FoundHandler, parameters: readonly string[]): ComparedValue[] {
  const found = new Map<string, ComparedValue>();
  for (const { node, path } of [handler, ...handler.functions]) {
    for (const each of descendants(node)) {
      for (const { parameter, value } of isComparison(each) ? valuesIn(each, parameters) : []) {
        const place = { path, line: each.line, condition: each.text.slice(0, 120) };
        const key = JSON.stringify([parameter, value]);
        if (!found.has(key)) found.set(key, { parameter, value, ...place });
      }
    }
  }
  return [...found.values()];
}

const isComparison = (node: SyntaxNode): boolean =>
  node.type === "comparison_operator" ||
  node.type === "binary_expression" && operators.test(namedChild(node, "operator")?.text ?? "");

/** `limit > 200` gives 199, 200 and 201, `title.length > 30` texts of these lengths, `unit === "km"` the text. */
function valuesIn(
  node: SyntaxNode,
  parameters: readonly string[],
): Pick<ComparedValue, "parameter" | "value">[] {
  const operands = namedChildren(node);
  if (operands.length !== 2) return [];
  const literal = operands.find(({ type, children }) => numeric.test(type) || isText(type, children));
  const other = operands.find((operand) => operand !== literal);
  const parameter = literal && other && parameters.find((name) => names(other, name));
  if (parameter === undefined) return [];
  const text = plainString(literal);
  if (text !== undefined) return [{ parameter, value: text }];
  const number = Number(literal!.text.replaceAll("_", ""));
  if (!(Math.abs(number) < largest)) return [];
  const around = [number - 1, number, number + 1];
  if (!length.test(other!.text)) return around.map((value) => ({ parameter, value }));
  return around.filter((size) => Number.isInteger(size) && size >= 0)
    .map((size) => ({ parameter, value: "x".repeat(size) }));
}

const isText = (type: string, children: readonly SyntaxNode[]): boolean =>
  type.includes("string") && !children.some(({ type }) => /substitution|interpolation/.test(type));

/** True if an operand names the parameter in any spelling: `noteId`, `args.note_id`, `args["note_id"]`. */
function names(operand: SyntaxNode, parameter: string): boolean {
  const plain = (text: string) => text.replaceAll(/[-_]/g, "").toLowerCase();
  return [...descendants(operand)].some((node) =>
    plain(/identifier$/.test(node.type) ? node.text : plainString(node) ?? "") === plain(parameter)
  );
}
