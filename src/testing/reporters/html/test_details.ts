/** Everything that is known of one test. */
import type { ReportStep, ReportTest } from "../../report/schema/test.ts";
import { count } from "../../../core/values.ts";
import { oneLine, show } from "../text.ts";
import { difference } from "./difference.ts";
import { escaped, type Markup, nothing, type Piece } from "./markup.ts";
import { shortened } from "./shortened.ts";

/** Of the input of a test that did not fail, in characters. */
const shortInput = 600;

/** @param room Characters that one text may have. */
export function testDetails(test: ReportTest, room: number): Markup {
  const failed = test.status === "failed";
  const { message, note, input: given, stderr } = test;
  return escaped`<div class="body">
${test.description === undefined ? nothing : escaped`<p>${shortened(test.description, room)}</p>`}
${
    failed && message !== undefined
      ? escaped`<pre class="message">${shortened(message.trimEnd(), room)}</pre>`
      : nothing
  }
${difference(test.expected, test.actual, room)}
${flakiness(test)}
${note === undefined ? nothing : escaped`<p class="note">${shortened(note, room)}</p>`}
${steps(test.steps ?? [], room)}
${block("Prompt", test.prompt, room)}
${list("Checklist", test.checklist)}
${given === undefined ? nothing : block("Input", show(given), failed ? room : Math.min(room, shortInput))}
${isTold(stderr, message) ? nothing : block("The server's stderr", stderr?.trim(), room, "end")}
${origin(test)}</div>`;
}

/** Messages of crashes hold what the server said last. */
function isTold(stderr: string | undefined, message: string | undefined): boolean {
  const lastLine = stderr?.trim().split("\n").at(-1)?.trim();
  return lastLine === undefined || (lastLine !== "" && message?.includes(lastLine) === true);
}

function block(label: string, text: string | undefined, room: number, keep?: "end"): Markup {
  if (text === undefined || text === "") return nothing;
  return escaped`<h4>${label}</h4><pre>${shortened(text, room, keep)}</pre>`;
}

const list = (label: string, entries: readonly string[] = []): Markup =>
  entries.length === 0
    ? nothing
    : escaped`<h4>${label}</h4><ul>${entries.map((entry) => escaped`<li>${entry}</li>`)}</ul>`;

function flakiness({ flakiness: found, status }: ReportTest): Markup {
  if (found === undefined) return nothing;
  const { attempts, failures, rate, runs, confidence } = found;
  const chance = status === "flaky" ? `; ${Math.floor(confidence * 100)} % sure that this is no chance` : "";
  return escaped`<p class="note">Failed ${failures} of ${count(attempts, "time")} in this run; ${
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
  if (all.length === 0) return nothing;
  const items = all.map((step) => {
    const status = step.status ?? "unknown";
    return escaped`<li class="${status}">
<span class="mark" role="img" aria-label="${status.replace("_", " ")}">${marks[status]}</span>
${words[step.action]} <b>${shortened(oneLine(step.target), 200)}</b>${input(step, room)}${captures(step)}</li>
`;
  });
  return escaped`<h4>Steps</h4><ol class="steps">
${items}</ol>`;
}

function input({ input: given }: ReportStep, room: number): Markup {
  if (given === undefined || Object.keys(given).length === 0) return nothing;
  return escaped` <code>${shortened(JSON.stringify(given), Math.min(room, 400))}</code>`;
}

const captures = ({ captures: names }: ReportStep): Piece =>
  names === undefined ? nothing : escaped` <small>→ ${names.map((name) => `$${name}`).join(", ")}</small>`;

function origin(test: ReportTest): Markup {
  const place = test.file === undefined
    ? undefined
    : `${test.file}${test.line === undefined ? "" : `:${test.line}`}`;
  const parts = [
    test.category,
    place,
    test.generated_from === "manual" ? undefined : `from ${test.generated_from.replace("_", " ")}`,
    test.origin,
    test.tags === undefined ? undefined : `tags: ${test.tags.join(", ")}`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? nothing : escaped`<p class="origin">${shortened(parts.join(" · "), 400)}</p>`;
}
