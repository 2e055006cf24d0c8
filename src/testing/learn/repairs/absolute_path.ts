import { withValue } from "../attempt.ts";
import { namedPlaces } from "../named_places.ts";
import { defineRepair } from "../repair.ts";

const sign = /\babsolute\b|\bfull path\b|\brelative paths?\b/i;
/** Folders that a refusal allows. */
const allowed =
  /\b(?:allowed|permitted|outside|not in|within|inside|under|below|roots?)\b[^/\n]{0,80}?((?:\/[\w.-]+)+)/gi;
const relative = /^(?!\/|[a-z][\w+.-]+:)[^\n]{1,300}$/i;

export default defineRepair({
  name: "absolute_path",
  summary:
    "`path must be absolute`, `outside of /data`: a path begins with the plugin's folder, or with the one that is named",
  rank: 5,
  repair({ attempt, places, words, folder }) {
    const folders = [
      ...[...words.matchAll(allowed)].map(([, path]) => path!),
      ...sign.test(words) && folder !== undefined ? [folder] : [],
    ];
    if (folders.length === 0) return [];
    const named = namedPlaces(words, places);
    const texts = [...new Set([...named, ...places])]
      .filter(({ value, words }) =>
        typeof value === "string" &&
        (words.some((word) => /path|file|folder|dir|root|output|destination|source|target/.test(word)) ||
          value.includes("/"))
      );
    return texts.slice(0, 3).flatMap(({ path, value }) =>
      [...new Set(folders)].filter((base) => !`${value}/`.startsWith(`${base}/`)).slice(0, 3)
        .map((base) => `${base}/${relative.test(String(value)) ? value : String(value).split("/").at(-1)}`)
        .map((whole) => withValue(attempt, path, whole.replace(/\/\.$/, "")))
    );
  },
});
