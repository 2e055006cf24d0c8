import t from "tap";
import { type NextStep, nextStepsFor } from "../../../src/core/next_step.ts";

t.test("each face is given its own words, in order, without ways that it lacks", (t) => {
  const ways: NextStep[] = [
    "Free some space",
    { terminal: "Another runtime: --env host", mcp: 'pth_provision_environment({ runtime: "host" })' },
    { terminal: "--config FILE" },
    { mcp: "pth_load_plugin({})" },
    "Free some space",
  ];
  t.strictSame(nextStepsFor("terminal", ways), [
    "Free some space",
    "Another runtime: --env host",
    "--config FILE",
  ]);
  t.strictSame(nextStepsFor("mcp", ways), [
    "Free some space",
    'pth_provision_environment({ runtime: "host" })',
    "pth_load_plugin({})",
  ]);
  t.strictSame(nextStepsFor("mcp", undefined), []);
  t.end();
});
