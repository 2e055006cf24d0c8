/** Tests of inputs that were learned by calling, or written by hand into the same file. */
import { defineGenerator } from "../generator.ts";
import { assignIds } from "../format/ids.ts";
import { callableTools } from "../generate/excluded_tools.ts";
import { learnedTests } from "../learn/learned_tests.ts";

export default defineGenerator({
  name: "learned",
  summary:
    "Inputs that worked when they were tried, with the calls before them: those of .pth/learned.yaml, and those just learned",
  generate({ tools, learned = [] }, options) {
    const callable = new Set(callableTools(tools, options).map(({ name }) => name));
    // What a person wrote for a tool that is excluded waits for the option that includes it; the same goes for its setup.
    const { tools: _asked, ...anyTool } = options;
    const all = callableTools(tools, anyTool);
    const may = new Set(all.map(({ name }) => name));
    const usable = learned.filter(({ tool, setup }) =>
      callable.has(tool) && setup.every((call) => may.has(call.tool))
    );
    return { tests: assignIds(learnedTests(usable)), findings: [], heldBack: [] };
  },
});
