import { textWords } from "../../../core/text.ts";
import { examplePageUrl } from "../../example_files/example_page.ts";
import { unmetNeed } from "../../exercise/unmet_need.ts";
import { fileKind } from "../../json_schema/file_kind.ts";
import { withValue } from "../attempt.ts";
import { isPageAddress } from "../page_address.ts";
import { namedPlaces } from "../named_places.ts";
import { defineRepair } from "../repair.ts";

/** Extensions that a page can have; others are pages of text. */
const served = new Set(["csv", "docx", "json", "md", "pdf", "png", "svg", "xlsx", "xml", "zip"]);

export default defineRepair({
  name: "served_page",
  summary: "`getaddrinfo ENOTFOUND example.com`: an address becomes that of a page that PTH serves",
  rank: 2,
  repair({ attempt, places, words, tool, page }) {
    if (!page || unmetNeed(words) !== "network") return [];
    const addresses = places.filter(({ value }) => isPageAddress(value));
    const named = namedPlaces(words, addresses);
    return (named.length > 0 ? named : addresses).slice(0, 3).flatMap((place) => {
      const kind = fileKind({
        words: place.words,
        about: "",
        tool: textWords(tool.name),
        toolAbout: tool.description ?? "",
        isEnd: false,
      });
      return [...new Set([served.has(kind) ? kind : "html", "html"])]
        .map((extension) => withValue(attempt, place.path, examplePageUrl(extension)));
    });
  },
});
