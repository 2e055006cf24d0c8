import { defineTierDetector } from "../tier_detector.ts";

export default defineTierDetector({
  what: "speaks to systemd over D-Bus",
  tier: 2,
  path: /^\/?org[./]freedesktop[./](?:systemd1|login1|hostname1|timedate1|locale1)\b/,
});
