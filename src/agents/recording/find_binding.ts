/**
 * Values that a model took from earlier results of tools, as variables: so a playbook made from a session works where the
 * results differ. A value becomes one only where its origin is certain: it stands at one place of one result, nobody
 * has said it before, and it is long enough for no coincidence or has the key under which it stood there.
 */
import type { Binding } from "../../../machines/model/playbook.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import { isVariableName } from "../../testing/format/variables.ts";
import { valuesAt } from "../../testing/match/values_at.ts";
import type { ToolResult } from "../playbook/model_request.ts";

/** Result of a lane's earlier call, with the turn whose request brought it. */
export interface BroughtResult {
  turn: number;
  result: ToolResult;
  /** Whether a binding at that turn finds this result: it is the latest of its tool there, whichever call is done first. */
  reached: boolean;
}

export interface FoundBinding {
  turn: number;
  /** Name that fits the value. */
  name: string;
  binding: Binding;
}

/** Values that are looked at within one result, and the longest of them. */
const mostValues = 5_000;
const longestValue = 500;
const longestResult = 400_000;

/**
 * @param key Key under which the value stands in the input.
 * @param said All that was said before by others than tools, and what the model gave to tools.
 */
export function findBinding(
  value: unknown,
  key: string,
  brought: readonly BroughtResult[],
  said: readonly string[],
): FoundBinding | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const text = String(value);
  if (text.trim() === "" || text.length > longestValue || said.some((each) => hasWord(each, text))) {
    return undefined;
  }
  const holding = brought.filter(({ result }) => hasWord(result.text, text));
  const [only] = holding;
  if (only === undefined || holding.length > 1 || !only.reached) return undefined;
  const { result: { tool, text: whole }, turn } = only;
  if (whole.length > longestResult || /[*?]/.test(tool) || tool === "") return undefined;
  const json = jsonIn(whole);
  const found = isObject(json) || Array.isArray(json) ? inJson(value, key, json) : inText(value, whole);
  return found === undefined ? undefined : { turn, name: found.name, binding: { tool, ...found.binding } };
}

interface Place {
  name: string;
  binding: Binding;
}

function inJson(value: string | number, key: string, json: unknown): Place | undefined {
  const leaves = leavesOf(json);
  const places = leaves.filter((leaf) => leaf.value === value);
  const [place] = places;
  if (place === undefined || places.length > 1 || place.path === undefined) return undefined;
  if (!isDistinct(value) && !sameKey(place.key, key)) return undefined;
  return valuesAt(place.path, json)[0] === value
    ? { name: place.key, binding: { path: place.path } }
    : undefined;
}

interface Leaf {
  value: unknown;
  /** Nearest key of a map. */
  key: string;
  /** Absent where a key is none that paths spell plainly. */
  path: string | undefined;
}

function leavesOf(root: unknown): Leaf[] {
  const found: Leaf[] = [];
  const visit = (value: unknown, key: string, path: string | undefined, depth: number): void => {
    if (found.length >= mostValues || depth > 30) return;
    if (Array.isArray(value)) {
      value.forEach((item, at) =>
        visit(item, key, path === undefined ? undefined : `${path}[${at}]`, depth + 1)
      );
    } else if (isObject(value)) {
      for (const [name, item] of Object.entries(value)) {
        const plain = path !== undefined && isVariableName(name);
        visit(item, name, plain ? `${path}.${name}` : undefined, depth + 1);
      }
    } else found.push({ value, key, path });
  };
  visit(root, "value", "$", 0);
  return found;
}

/** Words before the value on its line find it again. */
function inText(value: string | number, text: string): Place | undefined {
  const word = String(value);
  if (typeof value !== "string" || !isDistinct(value) || !/^[\w-]+$/.test(word)) return undefined;
  const at = text.indexOf(word);
  const before = /[A-Za-z][^\n\d]{2,40}$/.exec(text.slice(Math.max(0, at - 60), at))?.[0];
  if (before === undefined) return undefined;
  const regex = `${before.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}([\\w-]+)`;
  return new RegExp(regex).exec(text)?.[1] === word ? { name: "id", binding: { regex } } : undefined;
}

/** Too odd to have come by coincidence. */
const isDistinct = (value: string | number): boolean =>
  typeof value === "number"
    ? Number.isInteger(value) && Math.abs(value) >= 100_000
    : value.length >= 6 && /\d/.test(value) && /^[\w.:/+=@-]+$/.test(value);

/** `id` and `id`, `orderId`, `order_id`. */
function sameKey(one: string, other: string): boolean {
  const plain = (key: string) => key.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase();
  const [a, b] = [plain(one), plain(other)];
  return a !== "" && (a === b || (a === "id" && b.endsWith("id")) || (b === "id" && a.endsWith("id")));
}

/** Whether the text stands there, and not within a longer word or number. */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const [before = " ", after = " "] = [text[at - 1], text[at + word.length]];
    if (!/\w/.test(before) && !/\w/.test(after)) return true;
  }
  return false;
}
