/** How the server's surface differs from the contract that its plugin keeps. */
import { count } from "../../../core/values.ts";
import type { Report } from "../../report/report_schema.ts";
import type { ReportContract } from "../../report/schema/contract.ts";
import { escaped, type Markup, nothing } from "./markup.ts";
import { shortened } from "./shortened.ts";

const impacts = ["breaking", "notice", "compatible"] as const;
const classes = { breaking: "error", notice: "warning", compatible: "info" } as const;

export function contractSection({ contract }: Report): Markup {
  if (contract === undefined) return nothing;
  const { baseline, changes, breaking } = contract;
  const told = baseline === undefined
    ? "The plugin keeps no contract to compare with."
    : changes.length === 0
    ? `The server offers what ${baseline} says.`
    : `${count(changes.length, "change")} since ${baseline}, ${breaking} of them breaking.`;
  return escaped`<section id="contract"><h2>Contract <small>${count(contract.tools, "tool")}</small></h2>
<p>${told}</p>
${impacts.map((impact) => changesOf(changes.filter((change) => change.impact === impact)))}</section>
`;
}

function changesOf(changes: ReportContract["changes"]): Markup {
  const [first] = changes;
  if (first === undefined) return nothing;
  const items = changes.map(({ code, path, message }) =>
    escaped`<li>${shortened(message, 600)} <small>${code}, ${shortened(path, 200)}</small></li>
`
  );
  return escaped`<div class="finding ${classes[first.impact]}"><b>${first.impact}</b><ul>
${items}</ul></div>
`;
}
