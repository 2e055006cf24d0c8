import { defineTierDetector } from "../tier_detector.ts";

export default defineTierDetector({
  what: "loads kernel modules",
  tier: 3,
  command:
    /^(?:modprobe(?! (?:\S+ )*(?:--show-depends|-n\b|--dry-run|-c\b))|insmod|rmmod|depmod|dkms|kmod (?:load|insert)|update-initramfs|dracut)\b/,
  path: /^\/etc\/(?:modprobe\.d|modules-load\.d|modules$)/,
  code:
    /\b(?:finit_module|init_module|delete_module)\s*\(|\bunix\.(?:FinitModule|InitModule|DeleteModule)\b/g,
});
