import { defineRunPhase } from "../run_phase.ts";

export default defineRunPhase({
  flag: "lint",
  summary: "also lint tool definitions, and report the tokens that definitions and answers cost",
  async run(session, options) {
    await session.contract.lint(options);
    await session.contract.tokenCost(options);
  },
});
