import { defineTierSign } from "../tier_sign.ts";

export default defineTierSign({
  what: "manages users and groups",
  tier: 2,
  command:
    /^(?:useradd|usermod|userdel|adduser|deluser|groupadd|groupmod|groupdel|addgroup|delgroup|gpasswd|chpasswd|newusers|chage|vipw|passwd)(?: |$)/,
});
