import { defineTierSign } from "../tier_sign.ts";

export default defineTierSign({
  what: "drives devices by ioctl",
  tier: 3,
  // What terminals are asked is no device of the machine: such calls name TIOC… or TC… beside it.
  code: /\bioctl\s*\((?![^;\n]*\b(?:termios|TIOC\w*|TC[GS]\w*|FIO\w*|FION\w*)\b)/g,
});
