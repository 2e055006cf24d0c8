import { defineTierDetector } from "../tier_detector.ts";

export default defineTierDetector({
  what: "sets the clock, which containers share with the host",
  tier: 3,
  command:
    /^(?:date (?:-\S+ )*(?:-s\b|--set\b)|hwclock (?:\S+ )*(?:--set|-w|--systohc|-s|--hctosys)|timedatectl set-time|ntpdate |chronyc makestep)/,
  code: /\bclock_settime\s*\(|\bsettimeofday\s*\(/g,
});
