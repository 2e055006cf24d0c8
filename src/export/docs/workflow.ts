/** Workflows that a plugin's tools were seen to support: tests of several steps that passed, for its documentation. */
import type { TestCase } from "../../../machines/model/test_case.ts";
import { stepWords } from "../../testing/format/step_words.ts";
import { fencedText } from "../markdown_table.ts";
import type { Workflow } from "../../../machines/model/export.ts";

/** Undefined for a test that shows no order of calls. */
export function workflowOf({ name, description, steps = [] }: TestCase): Workflow | undefined {
  const calls = steps.filter(({ action }) => action.kind === "call");
  if (calls.length < 2) return undefined;
  return { test: name, steps, ...(description === undefined ? {} : { description }) };
}

/** Limit on workflows in the section. */
const most = 10;

/** One section for each, `level` is that of their headings; nothing without workflows. */
export function workflowsSection(workflows: Iterable<Workflow>, level: number): string {
  return [...workflows].slice(0, most).map((workflow) => workflowText(workflow, level)).join("\n\n");
}

function workflowText({ test, description, steps }: Workflow, level: number): string {
  return [
    `${"#".repeat(Math.min(6, level))} Workflow: ${oneLine(test)}`,
    ...(description === undefined ? [] : [safe(description.trim())]),
    ...steps.map(stepText),
  ].join("\n\n");
}

function stepText({ action, capture }: Workflow["steps"][number], index: number): string {
  const kept = Object.keys(capture).map((name) => `\`$${name}\``);
  const keeps = kept.length === 0 ? "" : `, whose answer gives ${kept.join(", ")}`;
  const line = `${index + 1}. \`${stepWords(action)}\`${keeps}`;
  if (action.kind !== "call" || Object.keys(action.input).length === 0) return line;
  const block = fencedText(JSON.stringify(action.input, null, 2).slice(0, 1000), "json");
  return `${line}\n\n${block.split("\n").map((each) => `   ${each}`).join("\n")}`;
}

const oneLine = (text: string): string => safe(text.replaceAll(/\s+/g, " ").trim());
/** Comments could hide the rest, or look like the markers of the section. */
const safe = (text: string): string => text.replaceAll("<!--", "&lt;!--");
