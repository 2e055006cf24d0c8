/** How the server's surface differs from the contract that its plugin keeps. */
import { count } from "../../../core/values.ts";
import type { Report } from "../../report/report_schema.ts";
import type { ReportContract } from "../../report/schema/contract.ts";
import { emptyMarkup, type Markup, markup } from "./markup.ts";
import { shortenedText } from "./shortened_text.ts";

const impacts = ["breaking", "notice", "compatible"] as const;
const classes = { breaking: "error", notice: "warning", compatible: "info" } as const;

export function contractSection({ contract }: Report): Markup {
  if (contract === undefined) return emptyMarkup;
  const { baseline, changes, breaking } = contract;
  const told = baseline === undefined
    ? "The plugin keeps no contract to compare with."
    : changes.length === 0
    ? `The server offers what ${baseline} says.`
    : `${count(changes.length, "change")} since ${baseline}, ${breaking} of them breaking.`;
  return markup`<section id="contract"><h2>Contract <small>${count(contract.tools, "tool")}</small></h2>
<p>${told}</p>
${impacts.map((impact) => changesOf(changes.filter((change) => change.impact === impact)))}</section>
`;
}

function changesOf(changes: ReportContract["changes"]): Markup {
  const [first] = changes;
  if (first === undefined) return emptyMarkup;
  const items = changes.map(({ code, path, message }) =>
    markup`<li>${shortenedText(message, 600)} <small>${code}, ${shortenedText(path, 200)}</small></li>
`
  );
  return markup`<div class="finding ${classes[first.impact]}"><b>${first.impact}</b><ul>
${items}</ul></div>
`;
}
