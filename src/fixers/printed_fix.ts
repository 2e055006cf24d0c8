/** What a fixer printed: a message, a patch, or both; agents like to put the patch between fences. */

export interface PrintedFix {
  title?: string;
  body?: string;
  patch?: string;
}

const longestTitle = 100;

/** The message is what stands before the patch; text after a fenced patch belongs to it, too. */
export function readPrinted(stdout: string): PrintedFix {
  const lines = stdout.split("\n");
  const start = lines.findIndex((line, index) => startsPatch(lines, line, index));
  if (start === -1) return message(stdout);
  const fence = /^\s*(`{3,}|~{3,})[\w-]*\s*$/.exec(lines[start - 1] ?? "")?.[1];
  const end = fence === undefined
    ? -1
    : lines.findIndex((line, index) => index > start && line.trim() === fence);
  const before = lines.slice(0, fence === undefined ? start : start - 1);
  const after = end === -1 ? [] : lines.slice(end + 1);
  const patch = lines.slice(start, end === -1 ? undefined : end).join("\n").trimEnd() + "\n";
  return { ...message([...before, ...after].join("\n")), patch };
}

function startsPatch(lines: readonly string[], line: string, index: number): boolean {
  return line.startsWith("diff --git ") ||
    (line.startsWith("--- ") && lines[index + 1]?.startsWith("+++ ") === true);
}

function message(text: string): Pick<PrintedFix, "title" | "body"> {
  const trimmed = text.replaceAll("\r\n", "\n").trim();
  if (trimmed === "") return {};
  const [first = "", ...more] = trimmed.split("\n");
  const title = first.replace(/^#+\s+/, "").trim();
  const body = more.join("\n").trim();
  if (title.length <= longestTitle) return { title, ...(body === "" ? {} : { body }) };
  return { title: `${title.slice(0, longestTitle - 1).trimEnd()}…`, body: trimmed };
}
