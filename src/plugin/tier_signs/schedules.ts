import { defineTierDetector } from "../tier_detector.ts";

export default defineTierDetector({
  what: "schedules jobs of the system",
  tier: 2,
  command: /^(?:crontab|anacron|atq|atrm)\b/,
  path: /^\/(?:etc\/(?:cron|anacrontab)|var\/spool\/cron)/,
  module: /^(?:crontab|python_crontab)$/,
});
