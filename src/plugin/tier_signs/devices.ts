import { defineTierDetector } from "../tier_detector.ts";

export default defineTierDetector({
  what: "drives devices by ioctl",
  tier: 3,
  // What terminals are asked is no device of the machine: such calls name TIOC… or TC… beside it.
  code: /\bioctl\s*\((?![^;\n]*\b(?:termios|TIOC\w*|TC[GS]\w*|FIO\w*|FION\w*)\b)/g,
});
