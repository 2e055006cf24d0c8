import { withFeeds } from "../attempt.ts";
import { inputPlaces, isSamePath } from "../input_places.ts";
import { defineRepair } from "../repair.ts";

const mostOthers = 4;

export default defineRepair({
  name: "other_input",
  summary:
    "anything else: other inputs that the schema allows (all properties, other modes) with the values found so far",
  rank: 9,
  repair({ attempt, others }) {
    return others.slice(0, mostOthers).map((input) => {
      const paths = inputPlaces(input).map(({ path }) => path);
      const kept = attempt.feeds.filter((feed) => paths.some((path) => isSamePath(path, feed.path)));
      return withFeeds({ input, feeds: [], first: attempt.first }, kept);
    });
  },
});
