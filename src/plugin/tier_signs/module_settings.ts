import { defineTierDetector } from "../tier_detector.ts";

export default defineTierDetector({
  what: "changes settings of kernel modules and devices",
  tier: 3,
  path: /^\/sys\/(?:module|class|bus|kernel|devices)(?:\/|$)/,
  written: true,
});
