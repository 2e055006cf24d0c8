import { withFeeds } from "../attempt.ts";
import type { InputPlace } from "../input_places.ts";
import { isReference } from "../known_values.ts";
import { namedPlaces } from "../named_places.ts";
import { defineRepair, type RefusedCall } from "../repair.ts";

const mostOthers = 3;

export default defineRepair({
  name: "known_value",
  summary:
    "`task not found`: an id, name or path of an earlier answer takes the place of one that was made up",
  rank: 4,
  repair(call) {
    const { places, words } = call;
    const references = places.filter(isReference);
    const named = namedPlaces(words, places);
    const together = [named.filter((place) => references.includes(place)), references, named].map((places) =>
      withFeeds(call.attempt, places.flatMap((place) => feedsFor(place, call, 1)))
    );
    const one = [...new Set([...named, ...references])].flatMap((place) =>
      feedsFor(place, call, mostOthers).map((feed) => withFeeds(call.attempt, [feed]))
    );
    return [...together, ...one].filter(({ feeds }) => feeds.length > 0);
  },
});

const feedsFor = (place: InputPlace, { values, tool }: RefusedCall, most: number) =>
  values.fitting(place, tool.name, most).map((value) => ({ path: place.path, value }));
