/** The form that narrows the list of tests; the page's script shows and serves it. */
import type { ReportTest } from "../../report/schema/test.ts";
import { emptyMarkup, type Markup, markup } from "./markup.ts";
import { shortenedText } from "./shortened_text.ts";

export function statusFilters(tests: readonly ReportTest[]): Markup {
  const tools = [...new Set(tests.flatMap((test) => test.tool ?? test.tools ?? []))].sort();
  const tiers = [...new Set(tests.map(({ tier }) => tier))].sort();
  const statuses = (["failed", "flaky", "skipped", "passed"] as const)
    .map((status) => ({ status, amount: tests.filter((test) => test.status === status).length }))
    .filter(({ amount }) => amount > 0);
  return markup`<form id="filters" role="search" hidden>
<label class="search"><span>Search</span>
<input type="search" id="text" autocomplete="off" placeholder="Name, message, tool … ( / )"></label>
<fieldset><legend>Status</legend>
${statuses.map(({ status, amount }) => checkbox(status, amount))}</fieldset>
${select("tier", "Tier", tiers.map((tier) => [String(tier), `tier ${tier}`]))}
${select("tool", "Tool", tools.map((tool) => [tool, shortenedText(tool, 60)]))}
<p class="actions"><button type="button" id="open-all">Open all</button>
<button type="button" id="close-all">Close all</button>
<output id="shown" aria-live="polite"></output></p>
</form>`;
}

const checkbox = (status: string, amount: number): Markup =>
  markup`<label class="${status}"><input type="checkbox" name="status" value="${status}" checked>
${status} ${amount}</label>
`;

function select(id: string, label: string, options: readonly (readonly [string, string])[]): Markup {
  if (options.length < 2) return emptyMarkup;
  return markup`<label><span>${label}</span><select id="${id}"><option value="">all</option>${
    options.map(([value, text]) => markup`<option value="${value}">${text}</option>`)
  }</select></label>`;
}
