import { defineTierDetector } from "../tier_detector.ts";

export default defineTierDetector({
  what: "traces other processes",
  tier: 2,
  command: /^(?:strace|ltrace|perf (?:record|stat|top|trace)|bpftrace)\b/,
  code: /\bptrace\s*\(|\bPTRACE_[A-Z]+\b|\bsyscall\.Ptrace\w+\s*\(|\bnix::sys::ptrace\b/g,
});
