import { defineRunPhase } from "../run_phase.ts";

export default defineRunPhase({
  flag: "lint",
  summary: "also report what the tools' definitions lack, and what they and their answers cost in tokens",
  async run(session, options) {
    await session.contract.lint(options);
    await session.contract.tokenCost(options);
  },
});
