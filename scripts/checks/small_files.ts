/** One idea per file. */
import { defineCheck } from "./check.ts";

const mostLines = 400;

export default defineCheck({
  name: `no file has more than ${mostLines} lines`,
  async run(tree) {
    const problems: string[] = [];
    for (
      const path of tree.paths.filter((path) =>
        /^(src|machines|scripts)\/.*(?<!\/_registry)\.tsx?$/.test(path)
      )
    ) {
      const lines = (await tree.read(path)).split("\n").length - 1;
      if (lines > mostLines) problems.push(`${path}: has ${lines} lines; split it by idea`);
    }
    return problems;
  },
});
