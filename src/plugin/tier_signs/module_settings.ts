import { defineTierSign } from "../tier_sign.ts";

export default defineTierSign({
  what: "changes settings of kernel modules and devices",
  tier: 3,
  path: /^\/sys\/(?:module|class|bus|kernel|devices)(?:\/|$)/,
  written: true,
});
