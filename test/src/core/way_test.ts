import t from "tap";
import { type Way, waysOn } from "../../../src/core/way.ts";

t.test("each face is given its own words, in order, without ways that it lacks", (t) => {
  const ways: Way[] = [
    "Free some space",
    { terminal: "Another runtime: --env host", mcp: 'pth_provision_environment({ runtime: "host" })' },
    { terminal: "--config FILE" },
    { mcp: "pth_load_plugin({})" },
    "Free some space",
  ];
  t.strictSame(waysOn("terminal", ways), ["Free some space", "Another runtime: --env host", "--config FILE"]);
  t.strictSame(waysOn("mcp", ways), [
    "Free some space",
    'pth_provision_environment({ runtime: "host" })',
    "pth_load_plugin({})",
  ]);
  t.strictSame(waysOn("mcp", undefined), []);
  t.end();
});
