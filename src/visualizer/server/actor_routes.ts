/** Who lives at a position, and why one is where it is. */
import { definedOnly } from "../../core/values.ts";
import { jsonReply } from "./json_reply.ts";
import type { ApiHandler } from "./api_context.ts";
import { numberParameter, positionIn } from "./query.ts";

const actors: ApiHandler = ({ params, query }, { sources }) =>
  sources.use(params.source!, async ({ timeline }) => {
    const position = positionIn(query, "at", timeline.length);
    const which = definedOnly({
      ended: numberParameter(query, "ended"),
      endedOfEach: numberParameter(query, "endedOfEach"),
      selected: query.get("selected") ?? undefined,
    });
    return jsonReply(await timeline.actors(position, which));
  });

const actor: ApiHandler = ({ params, query }, { sources }) =>
  sources.use(
    params.source!,
    async ({ timeline }) => {
      const position = positionIn(query, "at", timeline.length);
      return jsonReply(await timeline.actor(params.actor!, position, numberParameter(query, "ms")));
    },
  );

export const actorRoutes: [string, ApiHandler][] = [
  ["sources/:source/actors", actors],
  ["sources/:source/actors/:actor", actor],
];
