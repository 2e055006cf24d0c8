/** Claude Code's own runner of evals, `claude plugin eval`, for one case: its sessions and its judges ask the same model. */
import { isObject, jsonIn } from "../../core/values.ts";
import { defineAgent } from "./agent.ts";
import { claude } from "./claude.ts";
import { traceOfRequests } from "./trace_of_requests.ts";

/** Characters of the output's end, where it is no result. */
const longestOutput = 2000;

export const claudeEval = defineAgent({
  name: "claude-eval",
  summary: "Claude Code's runner of evals (claude plugin eval)",
  abilities: { ...claude.abilities, transcript: false },
  ...(claude.installation === undefined ? {} : { installation: claude.installation }),
  files: () => ({ "home/.keep": "", "tmp/.keep": "" }),
  command(place) {
    const { folder, plugin, program, model, evaluation } = place;
    const { name = "", allowTools = [], scaffold = false } = evaluation ?? {};
    // One that began with "-" would be an option.
    const tools = allowTools.filter((tool) => /^[A-Za-z]/.test(tool));
    return {
      words: [
        ...[program, "plugin", "eval", plugin, `--case=${name}`, "--runs=1", "--concurrency=1"],
        ...["--ablation=none", "--threshold=0", "--trust-plugin", "--allow-real-servers", "--no-publish"],
        ...[scaffold ? "--scaffold" : "--no-scaffold", `--output-dir=${folder}/results`],
        ...(model === undefined ? [] : [`--model=${model}`]),
        "--json",
        ...(tools.length === 0 ? [] : ["--allow-tools", ...tools]),
      ],
      env: claude.command(place).env,
    };
  },
  isLastLine: () => false,
  records: [],
  trace(records, place) {
    const said = records.output.join("\n");
    const text = shortResult(said) ?? said.trim().slice(-longestOutput);
    return traceOfRequests(records, place, { text, warnings: [] });
  },
});

/** Cases with what their graders say, as JSON; undefined where the output is no result. */
function shortResult(output: string): string | undefined {
  const result = jsonIn(output.slice(output.indexOf("{"), output.lastIndexOf("}") + 1));
  if (!isObject(result) || !Array.isArray(result.cases)) return undefined;
  const cases = result.cases.filter(isObject).map(({ name, arms }) => {
    const runs = isObject(arms) && Array.isArray(arms.with) ? arms.with.filter(isObject) : [];
    return {
      name,
      runs: runs.map(({ error, mocks, graders }) => ({
        error,
        warnings: isObject(mocks) ? mocks.warnings : undefined,
        graders: Array.isArray(graders)
          ? graders.filter(isObject).map(({ name, passed, explanation }) => ({ name, passed, explanation }))
          : [],
      })),
    };
  });
  return JSON.stringify({ cases, problems: result.errors ?? result.caseErrors });
}
