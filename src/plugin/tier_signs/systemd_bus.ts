import { defineTierSign } from "../tier_sign.ts";

export default defineTierSign({
  what: "speaks to systemd over D-Bus",
  tier: 2,
  path: /^\/?org[./]freedesktop[./](?:systemd1|login1|hostname1|timedate1|locale1)\b/,
});
