/** The timeline, each entry a `details` element with its elapsed time. */
import { formatDuration, oneLine } from "../../../core/text.ts";
import { emptyMarkup, type Markup, markup, shortenedText } from "../../../testing/reporters/html/markup.ts";
import type { TestReport, TimelineEntry } from "../report_schema.ts";
import { copyableJson, copyableText, type SourceOf } from "./copyable_text.ts";

type Entry<Type extends TimelineEntry["type"]> = Extract<TimelineEntry, { type: Type }>;

/** Characters of a name or a purpose. */
const longestName = 300;

/** Entries that a page shows; the JSON has all. */
const mostEntries = 1200;

/** @param entries Prefix of the ids of entries */
export function timelineList({ meta, timeline }: TestReport, room: number, entries: string): Markup {
  if (timeline.length === 0) return markup`<p class="note">There was no session.</p>`;
  const start = Date.parse(meta.timestamp);
  const left = timeline.length - mostEntries;
  const items = timeline.slice(0, mostEntries).map((entry) =>
    timelineItem(entry, { id: `${entries}${entry.seq}`, test: meta.test_id, start, room })
  );
  return markup`<ol class="tests timeline">
${items}</ol>${
    left > 0 ? markup`<p class="note">… ${left} more entries are in the JSON report.</p>` : emptyMarkup
  }`;
}

interface Place {
  id: string;
  test: string;
  start: number;
  room: number;
}

function timelineItem(entry: TimelineEntry, { id, test, start, room }: Place): Markup {
  const lane = "lane" in entry && entry.lane !== "main" ? entry.lane : undefined;
  const failed = isFailed(entry);
  const elapsed = Math.max(0, Date.parse(entry.timestamp) - start);
  const took = entry.duration_ms === undefined ? "" : formatDuration(entry.duration_ms);
  const source = (part: string) => ({ report: test, part: `timeline ${entry.seq}, ${part}` });
  return markup`<li class="test ${entry.type} ${failed ? "failed" : ""} ${
    lane === undefined ? "" : "lane"
  }" id="${id}">
<details><summary>
<span class="seq">${entry.seq}</span>
<span class="name"><b>${kindOf(entry)}</b> ${
    shortenedText(oneLine(entry.intent, longestName), longestName)
  }</span>
${
    lane === undefined
      ? emptyMarkup
      : markup`<span class="tool">${shortenedText(oneLine(lane, 80), 80)}</span>`
  }
<time class="time" datetime="${entry.timestamp}">+${formatDuration(elapsed)}</time>
<span class="why">${glimpse(entry)}</span></summary>
<div class="body">
${bodyOf(entry, source, room)}
${hooksOf(entry)}<p class="origin">${entry.timestamp}${
    took === "" ? "" : ` · took ${took}`
  }</p></div></details></li>
`;
}

const isFailed = (entry: TimelineEntry): boolean =>
  entry.type === "tool_call"
    ? entry.is_error === true
    : entry.type === "response" && entry.error !== undefined;

const kindOf = (entry: TimelineEntry): string =>
  entry.type === "tool_call" ? oneLine(entry.tool, 100) : entry.type === "prompt" ? "Prompt" : "Response";

/** Part that is seen while the entry is closed. */
function glimpse(entry: TimelineEntry): string {
  if (entry.type !== "tool_call") {
    return oneLine(
      entry.type === "response" ? entry.error ?? entry.content_preview : entry.content_preview,
      160,
    );
  }
  const { stdout = "", stderr = "" } = entry.output ?? {};
  return entry.output === undefined ? "no result" : oneLine(stderr || stdout, 160);
}

function bodyOf(entry: TimelineEntry, source: SourceOf, room: number): Markup {
  if (entry.type === "tool_call") return callBody(entry, source, room);
  const { content } = entry;
  return markup`${
    entry.type === "response" && entry.error !== undefined
      ? markup`<pre class="message">${shortenedText(entry.error, room)}</pre>`
      : emptyMarkup
  }${copyableText({ label: "Text", text: content, language: "markdown", source: source("content"), room })}${
    entry.type === "response" && entry.thinking !== undefined
      ? copyableText({
        label: "Thinking",
        text: entry.thinking,
        language: "text",
        source: source("thinking"),
        room,
      })
      : emptyMarkup
  }`;
}

function callBody(
  { input, output, subagent }: Entry<"tool_call">,
  source: SourceOf,
  room: number,
): Markup {
  const { command, ...rest } = input;
  const isCommand = typeof command === "string";
  const code = output?.exit_code;
  return markup`${
    isCommand
      ? copyableText({
        label: "Command",
        text: command,
        language: "shell",
        source: source("input.command"),
        room,
      })
      : emptyMarkup
  }${
    isCommand && Object.keys(rest).length === 0
      ? emptyMarkup
      : copyableJson(isCommand ? rest : input, { label: "Input", source: source("input"), room })
  }${
    output === undefined
      ? markup`<p class="note">No result came.</p>`
      : [["Output", output.stdout, "stdout"], ["Error", output.stderr, "stderr"]].map((
        [label = "", text = "", part = ""],
      ) =>
        copyableText({
          label,
          text,
          language: looksLikeJson(text) ? "json" : "text",
          source: source(`output.${part}`),
          room,
        })
      )
  }${code === undefined ? emptyMarkup : markup`<p class="note">Exit code ${code}</p>`}${
    subagent === undefined ? emptyMarkup : markup`<p class="note">Started the subagent ${subagent}</p>`
  }`;
}

const looksLikeJson = (text: string): boolean => /^\s*[{[]/.test(text) && /[}\]]\s*$/.test(text);

function hooksOf({ hooks }: TimelineEntry): Markup {
  if (hooks === undefined) return emptyMarkup;
  const items = hooks.map(({ event, failed }) =>
    markup`<li class="${failed === undefined ? "" : "failed"}">${event}${
      failed === undefined ? "" : `: ${shortenedText(failed, 600)}`
    }</li>`
  );
  return markup`<h4>Hooks</h4><ul class="hooks">${items}</ul>`;
}
