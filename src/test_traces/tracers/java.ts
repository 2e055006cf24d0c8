import { assetText } from "../../platform/asset_text.ts";
import { defineTracer } from "../tracer.ts";

const programs = [
  "trace_java.sh",
  "trace_java.java",
  "java_machine.java",
  "java_values.java",
  "java_json.java",
];

/** Every JVM that the command starts connects to a debugger, which is compiled in the same folder. */
export default defineTracer({
  name: "JDI",
  languages: ["java"],
  needs: ["java"],
  cost: "1 to 3 ms a traced call and its return; the thread runs interpreted meanwhile, others cost nothing",
  files: () => Object.fromEntries(programs.map((name) => [name, assetText(`test_traces/${name}`)])),
  traced: (command, { scratch }) => ({
    ...command,
    argv: ["sh", `${scratch}/trace_java.sh`, ...command.argv],
  }),
});
