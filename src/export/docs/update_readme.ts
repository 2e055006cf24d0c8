/** Puts a section on tools into a README, leaving all else as it is. */

export const startMark = "<!-- pth:tools -->";
export const endMark = "<!-- /pth:tools -->";

interface Readme {
  text: string;
  /** Names of tools that the old section has headings for. */
  documented: string[];
}

/**
 * Between the marks where they stand; else in place of what stands under a heading "Tools"; else at the end.
 * @param section makes the tools' Markdown for headings of a level
 */
export function updateReadme(old: string, section: (level: number) => string): Readme {
  const crlf = /\r\n/.test(old);
  const text = old.replaceAll("\r\n", "\n");
  const place = findMarks(text) ?? findHeading(text) ?? endOf(text);
  const body = `${startMark}\n\n${section(place.level)}\n\n${endMark}`;
  const after = text.slice(place.to).replace(/^\n+/, "");
  const updated = `${text.slice(0, place.from)}${place.lead}${body}\n${after === "" ? "" : `\n${after}`}`;
  const documented = [...text.slice(place.from, place.to).matchAll(/^#{1,6}\s+`?([\w./-]+)`?/gm)];
  return {
    text: crlf ? updated.replaceAll("\n", "\r\n") : updated,
    documented: documented.map(([, name]) => name!),
  };
}

interface Place {
  from: number;
  to: number;
  /** Text before the section. */
  lead: string;
  /** Level of the headings of single tools. */
  level: number;
}

function findMarks(text: string): Place | undefined {
  const from = text.indexOf(startMark);
  const end = from < 0 ? -1 : text.indexOf(endMark, from);
  if (end < 0) return undefined;
  const above = headingsOf(text).findLast((heading) => heading.at < from);
  return { from, to: end + endMark.length, lead: "", level: (above?.level ?? 1) + 1 };
}

function findHeading(text: string): Place | undefined {
  const headings = headingsOf(text);
  const index = headings.findIndex(({ title }) =>
    /^(?:(?:the|available|mcp|provided)\s+)*tools\b/i.test(title)
  );
  const heading = headings[index];
  if (heading === undefined) return undefined;
  const next = headings.slice(index + 1).find(({ level }) => level <= heading.level);
  return { from: heading.end, to: next?.at ?? text.length, lead: "\n", level: heading.level + 1 };
}

function endOf(text: string): Place {
  const gap = text === "" ? "" : text.endsWith("\n") ? "\n" : "\n\n";
  return { from: text.length, to: text.length, lead: `${gap}## Tools\n\n`, level: 3 };
}

interface Heading {
  at: number;
  /** Offset behind the line feed of its line. */
  end: number;
  level: number;
  title: string;
}

/** Headings with "#", outside of code blocks. */
function headingsOf(text: string): Heading[] {
  const headings: Heading[] = [];
  let fence: string | undefined;
  let at = 0;
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) fence = mark;
    else if (mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length) fence = undefined;
    const found = fence === undefined ? /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line) : null;
    const end = Math.min(text.length, at + line.length + 1);
    if (found) headings.push({ at, end, level: found[1]!.length, title: found[2]! });
    at += line.length + 1;
  }
  return headings;
}
