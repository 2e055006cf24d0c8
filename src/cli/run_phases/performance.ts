import { defineRunPhase } from "../run_phase.ts";

export default defineRunPhase({
  flag: "performance",
  summary: "also benchmark each tool: response time, throughput, CPU, memory, disk, files, tokens",
  run: (session, options) => session.plugin.measurePerformance({}, options),
});
