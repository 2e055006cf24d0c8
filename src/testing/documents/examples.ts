/** Examples of calls in a document: single ones, those whose answer is shown, and workflows of several. */
import { isObject, jsonIn } from "../../core/values.ts";
import type { DocumentBlock } from "./blocks.ts";
import { callInText, callsInJson, type Shapes, type WrittenCall } from "./calls.ts";

export interface DocumentedExample {
  line: number;
  /** More than one is a workflow. */
  calls: WrittenCall[];
  /** Answer of a single call, as the document shows it. */
  answer?: string;
  /** The heading above. */
  title?: string;
}

/** Examples in their order; what could mean something else is none. */
export function examplesIn(blocks: readonly DocumentBlock[], shapes: Shapes): DocumentedExample[] {
  const found: DocumentedExample[] = [];
  let title: string | undefined;
  let subject: string | undefined;
  blocks.forEach((block, at) => {
    const named = toolsNamed(block, shapes);
    if (block.kind === "heading") [title, subject] = [block.text, named.length === 1 ? named[0] : undefined];
    else if (block.kind !== "code" && named.length > 0) subject = named.length === 1 ? named[0] : undefined;
    const examples = block.kind === "code"
      ? inCode(block, subject, shapes)
      : block.kind === "table"
      ? inTable(block, shapes)
      : inProse(block, shapes);
    for (const example of examples) {
      const answer = example.answer ??
        (examples.length === 1 && example.calls.length === 1 ? answerAfter(blocks, at) : undefined);
      found.push({
        ...example,
        ...(answer === undefined ? {} : { answer }),
        ...(title === undefined ? {} : { title }),
      });
    }
  });
  return [...found, ...numberedWorkflows(blocks, shapes)];
}

/** Tools that a block names: in code spans, or as the words of a heading. */
function toolsNamed({ kind, text, spans }: DocumentBlock, shapes: Shapes): string[] {
  const bold = [...text.matchAll(/\*\*([\w.-]+)\*\*/g)].map(([, word]) => word!);
  const words = kind === "heading"
    ? text.split(/[^\w.-]+/).filter((word) => /[_-]|[a-z][A-Z]/.test(word) || word === text)
    : bold;
  const names = [...spans.map((span) => /^[\w.-]+/.exec(span)?.[0] ?? ""), ...words];
  return [...new Set(names.filter((name) => shapes.has(name)))];
}

function inCode(block: DocumentBlock, subject: string | undefined, shapes: Shapes): DocumentedExample[] {
  const { text, line, language = "" } = block;
  if (/^(?:json|jsonc|json5|)$/.test(language)) {
    const value = jsonIn(text);
    const calls = callsInJson(value, shapes);
    if (calls.length > 0) return [{ line, calls }];
    // The input alone, below the tool's name. `{}` and what has keys that the tool does not know say too little.
    const shape = subject === undefined ? undefined : shapes.get(subject);
    const fits = shape && isObject(value) && Object.keys(value).length > 0 &&
      Object.keys(value).every((key) => shape.properties.includes(key)) && shape.isValid(value);
    if (fits) return [{ line, calls: [{ tool: shape.name, input: value }] }];
  }
  return fromLines(block, shapes);
}

/** One call a line, with nothing else between but remarks: more than one are a workflow. */
function fromLines({ text, line }: DocumentBlock, shapes: Shapes): DocumentedExample[] {
  const lines = text.split("\n").map((each) => each.replace(/^\s*(?:>|\$|\d+[.)])\s+/, "").trim())
    .filter((each) => each !== "" && !/^(?:#|\/\/)/.test(each));
  const calls = lines.map((each) => withAnswer(each, shapes));
  if (lines.length === 0 || calls.some((call) => call === undefined)) return [];
  const [first, ...more] = calls;
  if (more.length > 0) return [{ line: line + 1, calls: calls.map((each) => each!.call) }];
  return [{
    line: line + 1,
    calls: [first!.call],
    ...(first!.answer === undefined ? {} : { answer: first!.answer }),
  }];
}

/** `add(2, 3)  # → 5`, `add 2 3 => 5`. */
function withAnswer(text: string, shapes: Shapes): { call: WrittenCall; answer?: string } | undefined {
  const [, written = text, answer] = /^(.*?)\s*(?:(?:#|\/\/)\s*)?(?:→|=>|->|⇒)\s*(.+)$/.exec(text) ?? [];
  const call = callInText(written.replace(/\s+(?:#|\/\/)\s.*$/, ""), shapes);
  if (!call) return undefined;
  return { call, ...(answer === undefined ? {} : { answer: answer.replace(/^(["'`])(.*)\1$/, "$2") }) };
}

/** "Example: `add 2 3`", "`add(a=2, b=3)` returns `5`". Items of numbered lists may be parts of a workflow. */
function inProse(block: DocumentBlock, shapes: Shapes): DocumentedExample[] {
  const { text, line, spans, list, kind } = block;
  if (kind === "heading" || list?.ordered) return [];
  return spans.flatMap((span, at) => {
    const call = callInText(span, shapes);
    if (!call) return [];
    const end = text.indexOf(span) + span.length;
    const shown = /^`?\s*(?:returns|gives|answers|prints|→|=>|->|⇒)\s*:?\s*`/.test(text.slice(end));
    return [{
      line,
      calls: [call],
      ...(shown && spans[at + 1] !== undefined ? { answer: spans[at + 1]! } : {}),
    }];
  });
}

/** Finds examples in a column "Example" next to one that names the tool. */
function inTable({ rows = [], line }: DocumentBlock, shapes: Shapes): DocumentedExample[] {
  const [head = [], ...body] = rows;
  const example = head.findIndex((cell) =>
    /^(?:example|usage|sample|call|example (?:input|call|arguments))s?$/i.test(cell.trim())
  );
  if (example < 0) return [];
  return body.flatMap((cells, at) => {
    const bare = cells.map((cell) => cell.trim().replace(/^`+|`+$/g, ""));
    const shape = bare.map((cell) => shapes.get(cell)).find((each) => each !== undefined);
    const written = bare[example] ?? "";
    const value = jsonIn(written);
    const input = shape && isObject(value) && shape.isValid(value)
      ? { tool: shape.name, input: value }
      : undefined;
    const call = input ?? callInText(written, shapes);
    return call ? [{ line: line + 2 + at, calls: [call] }] : [];
  });
}

/** Words right before a block that say it is an answer. */
const saysAnswer =
  /^\W*(?:example\s+)?(?:returns?|outputs?|answers?|responses?|results?|gives)\b[^.]{0,40}:?\W*$/i;

/** The block that follows, where the words between say that it is the answer. */
function answerAfter(blocks: readonly DocumentBlock[], at: number): string | undefined {
  const [between, shown] = [blocks[at + 1], blocks[at + 2]];
  if (between === undefined || shown?.kind !== "code" || between.kind === "code") return undefined;
  return saysAnswer.test(between.text) ? shown.text : undefined;
}

/** A numbered list of which at least two items show a call each, and no item names a tool without showing its call. */
function numberedWorkflows(blocks: readonly DocumentBlock[], shapes: Shapes): DocumentedExample[] {
  const lists = new Map<number, DocumentBlock[]>();
  for (const block of blocks) {
    if (block.list?.ordered) lists.set(block.list.id, [...lists.get(block.list.id) ?? [], block]);
  }
  return [...lists.values()].flatMap((items) => {
    const calls = items.flatMap(({ spans }) => spans.flatMap((span) => callInText(span, shapes) ?? []));
    const silent = items.some((item) =>
      toolsNamed(item, shapes).length > 0 && !item.spans.some((span) => callInText(span, shapes))
    );
    if (calls.length < 2 || silent) return [];
    const before = blocks.slice(0, blocks.indexOf(items[0]!)).findLast(({ kind }) => kind === "heading");
    return [{ line: items[0]!.line, calls, ...(before ? { title: before.text } : {}) }];
  });
}
