/** What the tools cost a model's context. */
import type { Report } from "../../report/report_schema.ts";
import type { ReportTokenCost } from "../../report/schema/performance.ts";
import { barMarkup, bytesText, shortNumber } from "./figure_text.ts";
import { emptyMarkup, type Markup, markup } from "./markup.ts";

export function tokenCostSection(report: Report): Markup {
  const cost = report.token_cost ?? report.performance?.context_cost;
  if (cost === undefined) return emptyMarkup;
  const tools = [...cost.tools].sort((a, b) => b.tokens - a.tokens);
  const most = tools[0]?.tokens ?? 0;
  const answers = new Map(cost.answers.map((answer) => [answer.tool, answer]));
  const rows = tools.map(({ tool, tokens }) =>
    markup`<tr><th scope="row">${tool}</th><td class="wide">${
      barMarkup(most === 0 ? 0 : tokens / most, "plain", `${tokens} tokens`)
    }</td><td>${shortNumber(tokens)}</td>${answerCells(answers.get(tool))}</tr>
`
  );
  const more = cost.instructions === undefined
    ? ""
    : `, the instructions ${shortNumber(cost.instructions.tokens)} more`;
  return markup`<section id="tokens"><h2>Token cost <small>${cost.tokenizer}</small></h2>
<p>The list of tools takes <b>${shortNumber(cost.list.tokens)} tokens</b> (${bytesText(cost.list.bytes)})
of every conversation${more}.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Token cost by tool"><table>
<thead><tr>${columns.map((name) => markup`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${rows}</tbody>
</table></div></section>
`;
}

const columns = ["Tool", "Definition", "Tokens", "Answer, median", "Largest"];

const answerCells = (answer: ReportTokenCost["answers"][number] | undefined): Markup[] =>
  [answer?.median_tokens, answer?.max_tokens].map((tokens) =>
    markup`<td>${tokens === undefined ? "–" : shortNumber(tokens)}</td>`
  );
