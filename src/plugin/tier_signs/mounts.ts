import { defineTierDetector } from "../tier_detector.ts";

export default defineTierDetector({
  what: "mounts file systems or makes namespaces",
  tier: 2,
  command:
    /^(?:mount (?!-l\b)\S|umount \S|fusermount|unshare |nsenter |pivot_root|switch_root|ip netns (?:add|exec|delete|del)\b)/,
  code:
    /\b(?:libc|lib|clib)\.(?:mount|umount2?|unshare|setns|pivot_root)\s*\(|\b(?:syscall|unix)\.(?:Mount|Unmount|Unshare|Setns|PivotRoot)\s*\(|\bCLONE_NEW[A-Z]+\b|\bnix::(?:mount|sched)\b/g,
  module: /^(?:pyroute2\.netns|github\.com\/containerd\/cgroups)/,
});
