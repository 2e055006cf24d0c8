/** Markdown files of a plugin, with their front matter and the places of its keys. */
import type { Problem } from "../core/problems.ts";
import { readSource, type SourceDocument } from "../core/read_source.ts";
import { isObject } from "../core/values.ts";

export interface MarkdownFile {
  /** Path below the plugin's folder. */
  file: string;
  /** Name by its place: of a skill its folder, else the file's without `.md`. */
  name: string;
  /** Keys of the front matter; undefined where there is none, or it cannot be read. */
  front: Record<string, unknown> | undefined;
  /** Whether there is front matter at all. */
  hasFront: boolean;
  /** Place of a key, or of the beginning. */
  place(key?: string): { file: string; line: number; column: number };
  /** Lines of the text after the front matter, with their numbers. */
  lines: { text: string; number: number }[];
}

const frontMatter = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:\r?\n)?---[ \t]*(?:\r?\n|$)/;

export function readMarkdown(
  file: string,
  name: string,
  text: string,
): { markdown: MarkdownFile; problems: Problem[] } {
  const [head, yaml] = frontMatter.exec(text) ?? [];
  const first = head === undefined ? 0 : head.split("\n").length - (head.endsWith("\n") ? 1 : 0);
  const { documents: [document], problems } = yaml === undefined
    ? { documents: [] as SourceDocument[], problems: [] }
    : readSource(file, yaml);
  // The front matter begins in the second line.
  const moved = (place: { line: number; column: number }) => ({ file, ...place, line: place.line + 1 });
  const front = isObject(document?.value) ? document.value : undefined;
  const mistakes = problems.map((problem) => ({ ...problem, ...moved(problem) }));
  if (yaml !== undefined && yaml.trim() !== "" && front === undefined && mistakes.length === 0) {
    mistakes.push({ file, line: 2, column: 1, message: "expected a map of keys in the front matter" });
  }
  const body = text.slice(head?.length ?? 0);
  return {
    problems: mistakes,
    markdown: {
      file,
      name,
      front: front ?? (yaml?.trim() === "" ? {} : undefined),
      hasFront: yaml !== undefined,
      place: (key) =>
        key === undefined || document === undefined || front === undefined || !Object.hasOwn(front, key)
          ? { file, line: 1, column: 1 }
          : moved(document.placeOfKey([], key)),
      lines: body.split("\n").map((line, index) => ({
        text: line.replace(/\r$/, ""),
        number: first + index + 1,
      })),
    },
  };
}
