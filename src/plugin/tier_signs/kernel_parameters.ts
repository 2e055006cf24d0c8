import { defineTierDetector } from "../tier_detector.ts";

export default defineTierDetector({
  what: "sets kernel parameters",
  tier: 3,
  command:
    /^sysctl (?:\S+ )*(?:-w\b|--write\b|-p\b|--load|--system|[\w.\/-]+=)|^(?:tee|dd|echo|printf|cat) .*\/proc\/sys\//,
  path:
    /^\/proc\/sys(?:\/(?!kernel\/(?:random|hostname|ostype|osrelease|version))|$)|^\/etc\/sysctl\.(?:conf|d)/,
  written: true,
});
