import { defineRunPhase } from "../run_phase.ts";

export default defineRunPhase({
  flag: "performance",
  summary: "also measure each tool: response time, throughput, processor, memory, disk, files, tokens",
  run: (session, options) => session.plugin.measurePerformance({}, options),
});
