import { defineTierDetector } from "../tier_detector.ts";

export default defineTierDetector({
  what: "restarts or turns off the machine",
  tier: 3,
  command:
    /^(?:(?:reboot|poweroff|halt)(?: -\S+)*$|shutdown (?:-|now|\+|\d)|init [06]$|telinit [06]$|kexec\b|systemctl (?:\S+ )*(?:reboot|poweroff|halt|kexec)\b)/,
});
