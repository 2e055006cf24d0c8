/** Which collections a tool's handler keeps over calls, and what it does to them. */
import type { FoundHandler } from "./handlers.ts";
import { isStateField, isStored, topLevel } from "./source_scope.ts";
import { calledName, callOf, ownNodes, type SourceIndex } from "./source_index.ts";
import {
  descendants,
  namedChild,
  namedChildren,
  plainString,
  stringPieces,
  type SyntaxNode,
} from "./syntax.ts";
import { StoredState } from "./values.ts";

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
  const isState = node.type === "identifier" &&
    (topLevel(root).get(node.text) instanceof StoredState || isStored(node.text, root));
  return isState ? node.text : undefined;
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
