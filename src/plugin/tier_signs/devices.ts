import { defineTierDetector } from "../tier_detector.ts";

export default defineTierDetector({
  what: "drives devices by ioctl",
  tier: 3,
  // Requests to terminals concern no device of the host: such calls name TIOC… or TC…
  code: /\bioctl\s*\((?![^;\n]*\b(?:termios|TIOC\w*|TC[GS]\w*|FIO\w*|FION\w*)\b)/g,
});
