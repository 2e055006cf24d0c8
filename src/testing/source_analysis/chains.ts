/** Chains of tools that share state: which collections a handler keeps, and who creates, reads and removes in them. */
import type { FoundHandler } from "./handlers.ts";
import { calledName, callOf, ownNodes, type SourceIndex } from "./source_index.ts";
import {
  descendants,
  namedChild,
  namedChildren,
  plainString,
  stringPieces,
  type SyntaxNode,
} from "./syntax.ts";

/** Facts about one tool, for chains. */
export interface ToolFacts {
  handler: FoundHandler;
  use: StateUse;
  input: Record<string, unknown>;
  required: readonly string[];
  properties: readonly string[];
  /** Keys that its `outputSchema` promises. */
  promised: readonly string[];
}

export interface ChainLink {
  facts: ToolFacts;
  /** The parameter that names what the maker made. */
  parameter: string;
}

export interface PropertyChain {
  maker: ToolFacts;
  /** Key by which the others find what was made: an input of the maker under the same name, or a key of its answer. */
  by: { input: string } | { output: string };
  readers: ChainLink[];
  removers: ChainLink[];
}

/** One chain for each tool that makes what others look up in the same collection. */
export function chainsOf(all: readonly ToolFacts[]): PropertyChain[] {
  return all.flatMap((maker) => {
    const links = all.filter((each) => each !== maker).flatMap((each) => linkTo(maker, each) ?? []);
    for (const by of waysOf(maker, links.map(({ parameter }) => parameter))) {
      const fitting = links.filter(({ parameter }) => fits(by, parameter));
      if (fitting.length === 0) continue;
      const removers = fitting.filter(({ facts }) => facts.use.removes.size > 0);
      return [{ maker, by, readers: fitting.filter((link) => !removers.includes(link)), removers }];
    }
    return [];
  });
}

/** Link to a tool that looks up, by its only required parameter, what the maker stored. */
function linkTo(maker: ToolFacts, facts: ToolFacts): ChainLink | undefined {
  const shared = [...maker.use.writes.keys()].some((state) =>
    facts.use.reads.has(state) || facts.use.removes.has(state)
  );
  // A tool that needs more than the name may refuse for other reasons.
  if (!shared || facts.use.writes.size > 0 || facts.required.length !== 1) return undefined;
  const [parameter] = facts.required;
  return { facts, parameter: parameter! };
}

function waysOf(maker: ToolFacts, parameters: readonly string[]): PropertyChain["by"][] {
  const keys = [...maker.use.writes.values()].flat();
  const inputs = maker.properties.filter((name) =>
    keys.some((key) => RegExp(`(?:^|\\b)${name}\\b`).test(key))
  );
  const answered = [...new Set([...maker.promised, ...maker.use.answeredKeys])];
  const outputs = answered.filter((key) => parameters.some((parameter) => names(parameter, key)));
  return [...inputs.map((input) => ({ input })), ...outputs.map((output) => ({ output }))];
}

const fits = (by: PropertyChain["by"], parameter: string): boolean =>
  "input" in by ? by.input === parameter : names(parameter, by.output);

/** `note_id` is what an answer calls `note_id`, `noteId` or `id`. */
function names(parameter: string, key: string): boolean {
  const plain = (text: string) => text.replaceAll(/[-_]/g, "").toLowerCase();
  return plain(parameter) === plain(key) || (plain(key) === "id" && plain(parameter).endsWith("id"));
}

export interface StateUse {
  reads: Set<string>;
  /** To each collection the texts that it is written under: `notes.set(id, …)` under `id`. */
  writes: Map<string, string[]>;
  removes: Set<string>;
  /** Keys of the JSON that the handler answers, as far as its source shows them. */
  answeredKeys: Set<string>;
}

const writing = /^(?:set|add|push|append|insert|update|setdefault)$/;
const removing = /^(?:delete|remove|pop|clear|splice|discard)$/;

export function stateUse(handler: FoundHandler, index: SourceIndex): StateUse {
  const use: StateUse = { reads: new Set(), writes: new Map(), removes: new Set(), answeredKeys: new Set() };
  const places = [{ node: handler.node, path: handler.path }, ...handler.functions];
  for (const { node, path } of places) {
    const root = index.trees.find((tree) => tree.path === path)?.root;
    if (!root) continue;
    for (const each of ownNodes(node)) note(each, path, root, use);
  }
  for (const key of answered(handler.node)) use.answeredKeys.add(key);
  return use;
}

function note(node: SyntaxNode, path: string, root: SyntaxNode, use: StateUse): void {
  const call = callOf(node);
  const object = call &&
    (namedChild(call.callee, "object") ?? namedChild(call.callee, "value") ??
      namedChild(call.callee, "operand"));
  const state = stateName(object, root);
  if (call && state !== undefined) {
    const key = `${path}:${state}`;
    const name = calledName(call.callee);
    if (writing.test(name)) written(use, key, call.args[0]?.text ?? "");
    else if (removing.test(name)) use.removes.add(key);
    else use.reads.add(key);
    return;
  }
  const target = /^(?:assignment|assignment_expression|assignment_statement)$/.test(node.type)
    ? assigned(node)
    : undefined;
  const stored = target && stateName(objectOf(target), root);
  if (stored !== undefined) return written(use, `${path}:${stored}`, keyOf(target!));
  const read = /^(?:subscript|subscript_expression|index_expression|comparison_operator)$/.test(node.type)
    ? stateName(objectOf(node) ?? namedChildren(node).at(-1), root)
    : undefined;
  if (read === undefined) return;
  use.reads.add(`${path}:${read}`);
}

function written(use: StateUse, state: string, key: string): void {
  use.writes.set(state, [...use.writes.get(state) ?? [], key]);
}

/** `tasks[task_id] = …` */
function assigned(node: SyntaxNode): SyntaxNode | undefined {
  const left = namedChild(node, "left");
  const target = left?.type === "expression_list" ? namedChildren(left)[0] : left;
  return target && /^(?:subscript|subscript_expression|index_expression)$/.test(target.type)
    ? target
    : undefined;
}

const objectOf = (node: SyntaxNode): SyntaxNode | undefined =>
  namedChild(node, "object") ?? namedChild(node, "value") ?? namedChild(node, "operand");
const keyOf = (node: SyntaxNode): string =>
  (namedChild(node, "index") ?? namedChild(node, "subscript"))?.text ?? "";

function stateName(node: SyntaxNode | undefined, root: SyntaxNode): string | undefined {
  if (node === undefined) return undefined;
  const field = /^(?:this|self|\w)\.(\w+)/.exec(node.text)?.[1] ?? guardedField(node, root);
  if (field !== undefined) return isStateField(field, root) ? field : undefined;
  return node.type === "identifier" && isStored(node.text, root) ? node.text : undefined;
}

/** `let items = self.items.lock().await;`: the name of a guard stands for the field. */
function guardedField({ type, text }: SyntaxNode, root: SyntaxNode): string | undefined {
  if (type !== "identifier") return undefined;
  return RegExp(`\\blet\\s+(?:mut\\s+)?${text}\\s*=\\s*self\\.(\\w+)\\.(?:lock|read|write)\\b`).exec(
    root.text,
  )?.[1];
}

/** Keys of what is made JSON or structured content, or returned as a dictionary. */
function answered(node: SyntaxNode): string[] {
  const objects = [...descendants(node)].flatMap((each) => {
    const call = callOf(each);
    if (call && /^(?:JSON\.stringify|json\.dumps)$/.test(call.callee.text)) return call.args[0] ?? [];
    if (each.type === "pair" && /structuredContent/.test(namedChild(each, "key")!.text)) {
      return namedChild(each, "value") ?? [];
    }
    return each.type === "return_statement"
      ? namedChildren(each).filter(({ type }) => type === "dictionary")
      : [];
  });
  return objects.flatMap((object) =>
    /^(?:object|dictionary)$/.test(object.type)
      ? namedChildren(object).flatMap((entry) => {
        const key = namedChild(entry, "key");
        if (entry.type === "shorthand_property_identifier") return entry.text;
        return key === undefined || (stringPieces(key) && plainString(key) === undefined)
          ? []
          : plainString(key) ?? key.text;
      })
      : []
  );
}

const stateNames = new WeakMap<SyntaxNode, Set<string>>();

/** Names in a file, at any depth, that are assigned once, and hold a collection: state that handlers close over. */
function isStored(name: string, root: SyntaxNode): boolean {
  const known = stateNames.get(root) ?? readStateNames(root);
  stateNames.set(root, known);
  return known.has(name);
}

function readStateNames(root: SyntaxNode): Set<string> {
  const states = new Set<string>();
  const times = new Map<string, number>();
  for (const node of descendants(root)) {
    const target = /declarator|declaration|assignment|var_spec/.test(node.type)
      ? namedChild(node, "name") ?? namedChild(node, "left")
      : undefined;
    if (!target) continue;
    times.set(target.text, (times.get(target.text) ?? 0) + 1);
    const value = namedChild(node, "value") ?? namedChild(node, "right");
    if (value && holdsState(value.type === "expression_list" ? namedChildren(value)[0]! : value)) {
      states.add(target.text);
    }
  }
  return new Set([...states].filter((name) => times.get(name) === 1));
}

/** An empty collection at the top of a file is filled by calls. */
const holdsState = ({ text }: SyntaxNode): boolean =>
  /^new (?:Map|Set|WeakMap)\b/.test(text) || /^(?:\{\s*\}|\[\s*\])$/.test(text) ||
  /^(?:dict|set|list|OrderedDict|defaultdict|collections\.\w+)\(/.test(text) ||
  /^(?:make\(map\[|map\[[^{]*\{\s*\}$)/.test(text) || /(?:HashMap|BTreeMap|HashSet)(?:::new)?\b/.test(text);

/** Whether a field (`this.items`, `self.items`) is somewhere in the file given a collection of its own. */
function isStateField(field: string, root: SyntaxNode): boolean {
  const name = field.replaceAll(/\W/g, "");
  return RegExp(
    `\\b${name}\\b[^\\n;]*(?:new (?:Map|Set)\\b|(?:Hash|BTree)(?:Map|Set)\\b|=\\s*(?:\\{\\}|\\[\\]|dict\\(|defaultdict)|map\\[)`,
  ).test(root.text);
}
