import { assetText, packageText } from "../../platform/asset_text.ts";
import { defineTracer } from "../tracer.ts";

export default defineTracer({
  name: "V8 inspector",
  languages: ["javascript", "typescript"],
  needs: ["node"],
  cost: "about 1 ms a traced call and its return; others cost nothing",
  files: () => ({
    "trace_node.mjs": assetText("test_traces/trace_node.mjs"),
    "functions_in.mjs": assetText("test_traces/functions_in.mjs"),
    // Parses the scripts of the traced program.
    "acorn.cjs": packageText("acorn", "dist/acorn.js"),
  }),
  traced: (command, { scratch }) => ({
    ...command,
    env: {
      ...command.env,
      NODE_OPTIONS: [command.env?.NODE_OPTIONS, `--import=${scratch}/trace_node.mjs`].filter(Boolean).join(
        " ",
      ),
    },
  }),
});
