/** Texts that can be copied; each names the part of the report that it comes from. */
import { emptyMarkup, type Markup, markup, shortenedText } from "../../../testing/reporters/html/markup.ts";
import { highlightedText, type Language } from "./highlighted_text.ts";
import { renderedMarkdown } from "./rendered_markdown.ts";

export interface CopyableText {
  label: string;
  text: string;
  language: Language;
  /** Report, and part of it: `startup-001`, `timeline 3, input`. */
  source: { report: string; part: string };
  /** Characters that may be shown. */
  room: number;
}

/** Source of a part of one report. */
export type SourceOf = (part: string) => CopyableText["source"];

/** Figure with the text and a button, which the page's script shows; empty where there is no text. */
export function copyableText({ label, text, language, source, room }: CopyableText): Markup {
  if (text.trim() === "") return emptyMarkup;
  const shown = shortenedText(text.trimEnd(), room);
  return markup`<figure class="code"><figcaption><b>${label}</b> <small>${source.part}</small>
<button type="button" class="copy" data-source="${source.report}: ${source.part}" data-language="${language}" hidden
 aria-label="Copy: ${label}">Copy</button></figcaption>
${language === "markdown" ? withSource(shown) : sourceOf(shown, language)}</figure>
`;
}

const sourceOf = (text: string, language: Language): Markup =>
  markup`<pre class="${language}" tabindex="0">${highlightedText(text, language)}</pre>`;

/** Rendered Markdown shows less than was written: the source, which is copied, is a click away where it differs. */
function withSource(text: string): Markup {
  const rendered = renderedMarkdown(text);
  const source = sourceOf(text, "markdown");
  if (rendered.text.trim() === markup`<p>${text}</p>`.text) return source;
  return markup`<div class="rendered" tabindex="0">
${rendered}</div>
<details class="fold source"><summary>Source</summary>${source}</details>`;
}

/** Any value as JSON with its button. */
export const copyableJson = (value: unknown, rest: Omit<CopyableText, "text" | "language">): Markup =>
  copyableText({ ...rest, language: "json", text: JSON.stringify(value, undefined, 2) ?? "" });
