/** Choices that a description lists without saying so: "Sort order (asc, desc)", "Unit: celsius or kelvin". */
import { textWords } from "../../core/text.ts";

const longestRead = 500;

const choice = String.raw`["'\x60]?[A-Za-z][\w.+#-]{0,29}["'\x60]?`;
const list = String.raw`${choice}(?:\s*(?:,\s*(?:or\s+|and\s+)?|\||\/|\s+or\s+)\s*${choice}){1,15}`;

/** In brackets, behind a colon up to the end of the sentence, or all that the description says. */
const forms = [
  new RegExp(String.raw`\((${list})\)`),
  new RegExp(String.raw`:\s*(${list})\s*(?:[.;)]|$)`, "m"),
  new RegExp(String.raw`^\s*(${list})\s*\.?\s*$`),
  /((?:"[\w.+#-]{1,30}"|'[\w.+#-]{1,30}')(?:,?\s*(?:,|or|\||\/)\s*(?:"[\w.+#-]{1,30}"|'[\w.+#-]{1,30}'))+)/,
];

/** Words that say something about the property, and are no values. */
const remarks =
  /^(?:optional|required|default|defaults|deprecated|inclusive|exclusive|recommended|experimental|unused|string|number|boolean|integer|object|array|null|undefined|comma-separated|case-insensitive|case-sensitive|latitude|longitude|lat|lng|lon|and|or|the|a|an|if|not|only|see|e\.g|i\.e)$/i;

/**
 * The choices, in the description's order, of which the second is first for what a tool turns something into; empty where there
 * are none.
 */
export function listedChoices(description: unknown, name = ""): string[] {
  const choices = choicesIn(description);
  const [first, second, ...others] = choices;
  const isTarget = second !== undefined &&
    textWords(name).some((word) => /^(?:to|target|output|dest|destination)$/.test(word));
  return isTarget ? [second, first!, ...others] : choices;
}

function choicesIn(description: unknown): string[] {
  if (typeof description !== "string") return [];
  const text = description.slice(0, longestRead);
  for (const form of forms) {
    const [, found] = form.exec(text) ?? [];
    if (found === undefined) continue;
    const choices = found.split(/\s*(?:,\s*(?:or\s+|and\s+)?|\||\/|\s+or\s+)\s*/)
      .map((each) => each.replace(/^["'`]|["'`]$/g, "").replace(/\.$/, ""));
    if (choices.length > 1 && !choices.some((each) => each === "" || remarks.test(each))) return choices;
  }
  return [];
}
