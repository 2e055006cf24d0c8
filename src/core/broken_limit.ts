/** What keeps a hostile or broken YAML file from filling memory: aliases that multiply, nesting without end. */
import { type Alias, type Document, isAlias, isCollection, isPair, Lexer, type Node } from "yaml";

/** Most values that a document may come to, each alias counted as all that it stands for. */
const maxValues = 200_000;
/** Deeper than any answer of a tool; recursion over values is safe up to here. */
const maxDepth = 100;
export const tooDeep = `expected at most ${maxDepth} levels within each other`;

/** Parts of the text; each costs the parser about a kilobyte. */
const maxTokens = 500_000;
/** A shorter text cannot have so many. */
const harmlessLength = 200_000;

export interface LimitProblem {
  /** Where in the text. */
  offset: number;
  message: string;
}

interface Size {
  values: number;
  depth: number;
}

/**
 * What a text has too much of, before anything is made of it: the parser itself would fill the memory. Levels count on
 * one line or in brackets; those by indentation need so much text that the length of a file bounds them.
 */
export function brokenTextLimit(text: string): LimitProblem | undefined {
  if (text.length < harmlessLength && !mayBeDeep(text)) return undefined;
  let offset = 0;
  let brackets = 0;
  let indicators = 0;
  let tokens = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === "[" || token === "{") brackets++;
    else if (token === "]" || token === "}") brackets = Math.max(0, brackets - 1);
    else if (token === "-" || token === "?") indicators++;
    else if (token.startsWith("\n")) indicators = 0;
    if (brackets > maxDepth || indicators > maxDepth) return { offset, message: tooDeep };
    if (++tokens > maxTokens) return { offset, message: "expected a smaller file: split it here" };
    if (!marks.has(token)) offset += token.length;
  }
  return undefined;
}

/** The lexer's own, no part of the text: a document, the end of a flow, a scalar. */
const marks: ReadonlySet<string> = new Set(["\u0002", "\u0018", "\u001f"]);

/** A quick look that errs on the side of yes: it counts within texts and comments as well. */
function mayBeDeep(text: string): boolean {
  let open = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) open++;
    else if ((code === 0x5d || code === 0x7d) && open > 0) open--;
    if (open > maxDepth) return true;
  }
  return /(?:[-?][ \t]+){100}/.test(text);
}

/** The first place where a document breaks a limit, if any. */
export function brokenLimit(document: Document): LimitProblem | undefined {
  const sizes = new Map<unknown, Size | "in work">();
  // An alias means the latest anchor of its name; the library would search the document again for each.
  const anchors = new Map<string, unknown>();
  let problem: LimitProblem | undefined;
  const complain = (node: unknown, message: string): Size => {
    problem ??= { offset: (node as Node | null)?.range?.[0] ?? 0, message };
    return { values: 1, depth: 1 };
  };

  function measure(node: unknown, depth: number): Size {
    if (problem !== undefined) return { values: 1, depth: 1 };
    if (isAlias(node)) return measureAlias(node, depth);
    const { anchor } = (node ?? {}) as { anchor?: string };
    if (anchor !== undefined) anchors.set(anchor, node);
    const parts = isPair(node) ? [node.key, node.value] : isCollection(node) ? node.items : [];
    if (parts.length === 0) return { values: 1, depth: 1 };
    const known = sizes.get(node);
    if (known === "in work") {
      return complain(node, "an alias stands within what it names: this would never end");
    }
    if (known !== undefined) return known;
    // Pairs stand between a map and its values, and are no level of their own.
    const level = isPair(node) ? 0 : 1;
    if (depth + level > maxDepth) {
      return complain(node, tooDeep);
    }
    sizes.set(node, "in work");
    const size = { values: 1, depth: 0 };
    for (const part of parts) {
      const own = measure(part, depth + level);
      size.values += own.values;
      size.depth = Math.max(size.depth, own.depth + level);
    }
    if (size.values > maxValues) complain(node, bombText);
    sizes.set(node, size);
    return size;
  }

  function measureAlias(alias: Alias, depth: number): Size {
    const target = anchors.get(alias.source);
    if (target === undefined) return complain(alias, "an alias names nothing that came before it");
    if (sizes.get(target) === "in work") {
      return complain(alias, "an alias stands within what it names: this would never end");
    }
    const size = measure(target, depth);
    if (size.values > maxValues) return complain(alias, bombText);
    if (depth + size.depth > maxDepth) {
      return complain(alias, tooDeep);
    }
    return size;
  }

  const whole = measure(document.contents, 0);
  return problem ?? (whole.values > maxValues ? { offset: 0, message: bombText } : undefined);
}

const bombText =
  `expected at most ${maxValues} values, each alias counted as all that it stands for; this comes to more`;
