import { assetText } from "../../platform/asset_text.ts";
import { defineTracer } from "../tracer.ts";

const programs = [
  "trace_gdb.sh",
  "trace_gdb.py",
  "gdb_tracing.py",
  "gdb_native.py",
  "gdb_go.py",
  "gdb_hot.py",
];

/** Programs with debug information; launchers such as Cargo's start them by the script that PTH_TRACE_PROGRAM names. */
export default defineTracer({
  name: "gdb",
  languages: ["rust", "c++", "c", "go"],
  needs: ["gdb"],
  cost:
    "0.3 to 0.5 ms a traced call and its return, of Go 0.6 to 0.7, 10 ms more for each composite value of Rust",
  files: () => Object.fromEntries(programs.map((name) => [name, assetText(`test_traces/${name}`)])),
  traced: (command, { scratch }) => {
    const script = `${scratch}/trace_gdb.sh`;
    return command.startsPrograms
      ? { ...command, env: { ...command.env, PTH_TRACE_PROGRAM: script } }
      : { ...command, argv: ["sh", script, ...command.argv] };
  },
});
