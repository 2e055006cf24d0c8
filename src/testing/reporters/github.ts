/** For GitHub Actions: what people read, folded away, and annotations that show at the lines of the tests. */
import { cwd, readEnv } from "../../platform/host.ts";
import { toReport } from "../report/report.ts";
import { defineReporter } from "../reporter.ts";
import { annotations, repositoryPath, workflowCommand } from "./github/annotations.ts";
import spec from "./spec.ts";

export default defineReporter({
  name: "github",
  summary:
    "what spec writes, folded; annotations for GitHub Actions; its job summary where GITHUB_STEP_SUMMARY is set",
  writes: "stream",
  create(output) {
    const people = spec.create(output);
    // What servers say is part of the log, and must not be taken for commands.
    const token = crypto.randomUUID();
    output.write(workflowCommand("group", "pth") + workflowCommand("stop-commands", token));
    return {
      ...people,
      end(run) {
        people.end?.(run);
        output.write(`\n::${token}::\n${workflowCommand("endgroup", "")}`);
        const here = cwd();
        const root = readEnv("GITHUB_WORKSPACE") ?? here;
        output.write(annotations(toReport(run), (file) => repositoryPath(file, root, here)));
      },
    };
  },
});
