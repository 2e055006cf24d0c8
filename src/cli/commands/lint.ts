/** `pth lint`: what a plugin consists of besides its tools, looked over without starting anything. */
import { resolve } from "node:path";
import { suggestion } from "../../core/did_you_mean.ts";
import { lintDefinitions } from "../../definition_lint/lint_definitions.ts";
import { hostPluginFiles } from "../../definition_lint/plugin_files.ts";
import { renderDefinitions } from "../../definition_lint/render_definitions.ts";
import { registry } from "../../definition_lint/rules/_registry.ts";
import { defineCommand } from "../command.ts";
import { isFolder } from "../options/agent_options.ts";
import { collectValues, listValue } from "../options/option_values.ts";
import { Problems } from "../options/problems.ts";

export default defineCommand({
  configure(command) {
    command
      .argument("<plugin>", "the plugin's folder, or a marketplace's")
      .option("--rule <name>", "only this rule (repeatable)", collectValues)
      .option("--strict", "fail on warnings, too")
      .option("--json", "print the findings as JSON");
  },
  async run({ operands: [plugin], options }, { stdout }) {
    const problems = new Problems();
    if (!await isFolder(plugin!)) problems.add(`definitions are read from a folder, and ${plugin} is none`);
    const wanted = listValue(options.rule);
    const codes = registry.map(({ code }) => code);
    for (const name of wanted.filter((each) => !codes.includes(each))) {
      problems.add(
        `--rule: there is no rule ${name}${suggestion(name, codes)}; rules are ${codes.join(", ")}`,
      );
    }
    problems.throwIfAny("Cannot look over the plugin");
    const rules = registry.filter(({ code }) => wanted.length === 0 || wanted.includes(code));
    const report = await lintDefinitions(await hostPluginFiles(resolve(plugin!)), rules);
    stdout.write(
      options.json === true ? `${JSON.stringify(report, undefined, 2)}\n` : renderDefinitions(report),
    );
    const fails = report.findings.filter(({ severity }) => severity === "error" || options.strict === true);
    return fails.length > 0 ? 1 : 0;
  },
});
