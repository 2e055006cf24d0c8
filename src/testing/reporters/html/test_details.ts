/** Renders all facts about one test. */
import type { ReportStep, ReportTest } from "../../report/report_schema.ts";
import { count, plainLine, showValue } from "../../../core/text.ts";
import { emptyMarkup, type HtmlValue, type Markup, markup, shortenedText } from "./markup.ts";
import { diffLines } from "diff";

/** Most characters of the input of a test that did not fail. */
const shortInput = 600;

/** @param room Characters that one text may have. */
export function testDetails(test: ReportTest, room: number): Markup {
  const failed = test.status === "failed";
  const { message, note, input: given, stderr } = test;
  return markup`<div class="body">
${test.description === undefined ? emptyMarkup : markup`<p>${shortenedText(test.description, room)}</p>`}
${
    failed && message !== undefined
      ? markup`<pre class="message">${shortenedText(message.trimEnd(), room)}</pre>`
      : emptyMarkup
  }
${differenceMarkup(test.expected, test.actual, room)}
${flakiness(test)}
${note === undefined ? emptyMarkup : markup`<p class="note">${shortenedText(note, room)}</p>`}
${steps(test.steps ?? [], room)}
${block("Prompt", test.prompt, room)}
${list("Checklist", test.checklist)}
${
    given === undefined
      ? emptyMarkup
      : block("Input", showValue(given), failed ? room : Math.min(room, shortInput))
  }
${
    isTold(stderr, message)
      ? emptyMarkup
      : block(test.own === undefined ? "The server's stderr" : "Its output", stderr?.trim(), room, "end")
  }
${origin(test)}</div>`;
}

/** Messages of crashes hold what the server said last. */
function isTold(stderr: string | undefined, message: string | undefined): boolean {
  const lastLine = stderr?.trim().split("\n").at(-1)?.trim();
  return lastLine === undefined || (lastLine !== "" && message?.includes(lastLine) === true);
}

function block(label: string, text: string | undefined, room: number, keep?: "end"): Markup {
  if (text === undefined || text === "") return emptyMarkup;
  return markup`<h4>${label}</h4><pre>${shortenedText(text, room, keep)}</pre>`;
}

const list = (label: string, entries: readonly string[] = []): Markup =>
  entries.length === 0
    ? emptyMarkup
    : markup`<h4>${label}</h4><ul>${entries.map((entry) => markup`<li>${entry}</li>`)}</ul>`;

function flakiness({ flakiness: found, status }: ReportTest): Markup {
  if (found === undefined) return emptyMarkup;
  const { attempts, failures, rate, runs, confidence } = found;
  const chance = status === "flaky" ? `; ${Math.floor(confidence * 100)} % sure that this is no chance` : "";
  return markup`<p class="note">Failed ${failures} of ${count(attempts, "time")} in this run; ${
    Math.round(rate * 100)
  } % of ${count(runs, "known run")}${chance}.</p>`;
}

const words: Record<ReportStep["action"], string> = {
  call: "call",
  read_resource: "read",
  subscribe: "subscribe to",
  get_prompt: "get prompt",
  wait_for: "wait for",
};
const marks = { passed: "✓", failed: "✗", not_run: "·", unknown: "?" } as const;

function steps(all: readonly ReportStep[], room: number): Markup {
  if (all.length === 0) return emptyMarkup;
  const items = all.map((step) => {
    const status = step.status ?? "unknown";
    return markup`<li class="${status}">
<span class="mark" role="img" aria-label="${status.replace("_", " ")}">${marks[status]}</span>
${words[step.action]} <b>${shortenedText(plainLine(step.target), 200)}</b>${input(step, room)}${
      captures(step)
    }</li>
`;
  });
  return markup`<h4>Steps</h4><ol class="steps">
${items}</ol>`;
}

function input({ input: given }: ReportStep, room: number): Markup {
  if (given === undefined || Object.keys(given).length === 0) return emptyMarkup;
  return markup` <code>${shortenedText(JSON.stringify(given), Math.min(room, 400))}</code>`;
}

const captures = ({ captures: names }: ReportStep): HtmlValue =>
  names === undefined ? emptyMarkup : markup` <small>→ ${names.map((name) => `$${name}`).join(", ")}</small>`;

function origin(test: ReportTest): Markup {
  const place = test.file === undefined
    ? undefined
    : `${test.file}${test.line === undefined ? "" : `:${test.line}`}`;
  const parts = [
    test.category,
    place,
    test.generated_from === "manual" ? undefined : `from ${test.generated_from.replace("_", " ")}`,
    test.origin,
    test.own?.rerun === undefined ? undefined : `alone: ${test.own.rerun}`,
    test.tags === undefined ? undefined : `tags: ${test.tags.join(", ")}`,
  ].filter((part) => part !== undefined);
  return parts.length === 0
    ? emptyMarkup
    : markup`<p class="origin">${shortenedText(parts.join(" · "), 400)}</p>`;
}

/** Most edits of a difference that is shown line by line: larger ones take long to compute and help no reader. */
const mostEdits = 400;

export function differenceMarkup(expected: unknown, actual: unknown, room: number): Markup {
  if (expected === undefined && actual === undefined) return emptyMarkup;
  const texts = [expected, actual].map((value) =>
    value === undefined ? undefined : shortenedText(showValue(value), room)
  );
  const [wanted, got] = texts;
  if (wanted?.includes("\n") && got?.includes("\n")) {
    const parts = diffLines(wanted, got, { maxEditLength: mostEdits });
    if (parts !== undefined) return lineByLine(parts);
  }
  return markup`<dl class="compare">${side("expected", wanted)}${side("actual", got)}</dl>`;
}

const side = (label: string, text: string | undefined): Markup =>
  text === undefined ? emptyMarkup : markup`<dt>${label}</dt><dd><pre class="${label}">${text}</pre></dd>`;

/** `ins` and `del` are blocks of a line each; other lines end as lines do. */
function lineByLine(parts: readonly { value: string; added?: boolean; removed?: boolean }[]): Markup {
  const lines = parts.flatMap(({ value, added, removed }) =>
    value.replace(/\n$/, "").split("\n").map((line) =>
      added ? markup`<ins>+ ${line}</ins>` : removed ? markup`<del>- ${line}</del>` : markup`  ${line}\n`
    )
  );
  return markup`<p class="legend"><del>- expected</del> <ins>+ actual</ins></p>
<pre class="diff">${lines}</pre>`;
}
