import { defineTierSign } from "../tier_sign.ts";

export default defineTierSign({
  what: "schedules jobs of the system",
  tier: 2,
  command: /^(?:crontab|anacron|atq|atrm)\b/,
  path: /^\/(?:etc\/(?:cron|anacrontab)|var\/spool\/cron)/,
  module: /^(?:crontab|python_crontab)$/,
});
