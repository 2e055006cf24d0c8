import { defineTierDetector } from "../tier_detector.ts";

export default defineTierDetector({
  what: "manages users and groups",
  tier: 2,
  command:
    /^(?:useradd|usermod|userdel|adduser|deluser|groupadd|groupmod|groupdel|addgroup|delgroup|gpasswd|chpasswd|newusers|chage|vipw|passwd)(?: |$)/,
});
