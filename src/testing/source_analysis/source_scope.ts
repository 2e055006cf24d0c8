/** What names mean in the abstract run of a handler. */
import type { NamedFunction, SourceIndex, SourceTree } from "./source_index.ts";
import { descendants, namedChild, namedChildren, type SourceLanguage, type SyntaxNode } from "./syntax.ts";
import { StoredState } from "./values.ts";

export class SourceScope {
  readonly tree: SourceTree;
  readonly index: SourceIndex;
  readonly depth: number;
  /** What is returned here is the tool's answer. */
  readonly answers: boolean;
  readonly #values = new Map<string, unknown>();
  readonly #outer: SourceScope | undefined;

  constructor(
    tree: SourceTree,
    index: SourceIndex,
    { outer, depth = 0, answers = true }: { outer?: SourceScope; depth?: number; answers?: boolean } = {},
  ) {
    this.tree = tree;
    this.index = index;
    this.#outer = outer;
    this.depth = outer?.depth ?? depth;
    this.answers = outer?.answers ?? answers;
  }

  get language(): SourceLanguage {
    return this.tree.language;
  }

  set(name: string, value: unknown): void {
    this.#values.set(name, value);
  }

  has(name: string): boolean {
    return this.#values.has(name) || this.#outer?.has(name) === true;
  }

  get(name: string): unknown {
    return this.#values.has(name) ? this.#values.get(name) : this.#outer?.get(name);
  }

  /** Where the constants of a file are made: they see no names of functions. */
  atTop(tree: SourceTree = this.tree): SourceScope {
    return new SourceScope(tree, this.index, { depth: this.depth + 1, answers: false });
  }

  /** A fresh scope for a function of the plugin, which sees nothing of the caller's. */
  forFunction(callee: NamedFunction): SourceScope {
    const tree = this.index.trees.find(({ path }) => path === callee.path)!;
    return new SourceScope(tree, this.index, { depth: this.depth + 1, answers: false });
  }
}

const constants = new WeakMap<SyntaxNode, Map<string, SyntaxNode | StoredState>>();

/** What a name at the top of a file holds: the node of its value, or state that the plugin keeps. */
export function topLevel(root: SyntaxNode): ReadonlyMap<string, SyntaxNode | StoredState> {
  const known = constants.get(root) ?? readTopLevel(root);
  constants.set(root, known);
  return known;
}

function readTopLevel(root: SyntaxNode): Map<string, SyntaxNode | StoredState> {
  const found = new Map<string, SyntaxNode | StoredState>();
  const visit = (node: SyntaxNode, depth: number): void => {
    const target = namedChild(node, "name") ?? namedChild(node, "left");
    const value = namedChild(node, "value") ?? namedChild(node, "right");
    if (target && value && /^[\w$]+$/.test(target.text)) {
      const node = value.type === "expression_list" ? namedChildren(value)[0]! : value;
      // A name that is given a value twice holds neither for sure.
      if (!found.has(target.text)) found.set(target.text, holdsState(node) ? new StoredState() : node);
    } else if (depth > 0) { for (const each of namedChildren(node)) visit(each, depth - 1); }
  };
  for (const each of namedChildren(root)) {
    visit(each, /^(?:function|class|impl|method|decorated)/.test(each.type) ? 0 : 4);
  }
  return found;
}

const stateNames = new WeakMap<SyntaxNode, Set<string>>();

/** Names in a file, at whatever depth, that are given once, and then a collection: what handlers close over. */
export function isStored(name: string, root: SyntaxNode): boolean {
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
export function isStateField(field: string, root: SyntaxNode): boolean {
  const name = field.replaceAll(/\W/g, "");
  return RegExp(
    `\\b${name}\\b[^\\n;]*(?:new (?:Map|Set)\\b|(?:Hash|BTree)(?:Map|Set)\\b|=\\s*(?:\\{\\}|\\[\\]|dict\\(|defaultdict)|map\\[)`,
  ).test(root.text);
}

/** Go writes the fields of an input with a capital; JSON does not. */
export function readProperty(
  value: Record<string, unknown>,
  name: string,
  language: SourceLanguage,
): unknown {
  if (Object.hasOwn(value, name)) return value[name];
  if (language !== "go") return undefined;
  const plain = (text: string) => text.replaceAll("_", "").toLowerCase();
  const key = Object.keys(value).find((each) => plain(each) === plain(name));
  return key === undefined ? undefined : value[key];
}
