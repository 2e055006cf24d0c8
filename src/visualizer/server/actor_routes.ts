/** Who lives at a position, and why one is where it is. */
import { definedOnly } from "../../core/values.ts";
import { jsonReply } from "./answers.ts";
import type { Handler } from "./api_request.ts";
import { numberIn, positionIn } from "./query.ts";

const actors: Handler = ({ params, query }, { sources }) =>
  sources.use(params.source!, async ({ timeline }) => {
    const position = positionIn(query, "at", timeline.length);
    const which = definedOnly({
      ended: numberIn(query, "ended"),
      endedOfEach: numberIn(query, "endedOfEach"),
      selected: query.get("selected") ?? undefined,
    });
    return jsonReply(await timeline.actors(position, which));
  });

const actor: Handler = ({ params, query }, { sources }) =>
  sources.use(
    params.source!,
    async ({ timeline }) => {
      const position = positionIn(query, "at", timeline.length);
      return jsonReply(await timeline.actor(params.actor!, position, numberIn(query, "ms")));
    },
  );

export const actorRoutes: [string, Handler][] = [
  ["sources/:source/actors", actors],
  ["sources/:source/actors/:actor", actor],
];
