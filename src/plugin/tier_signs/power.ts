import { defineTierSign } from "../tier_sign.ts";

export default defineTierSign({
  what: "restarts or turns off the machine",
  tier: 3,
  command:
    /^(?:(?:reboot|poweroff|halt)(?: -\S+)*$|shutdown (?:-|now|\+|\d)|init [06]$|telinit [06]$|kexec\b|systemctl (?:\S+ )*(?:reboot|poweroff|halt|kexec)\b)/,
});
