/// <reference lib="dom" />
/** An actor's name that selects it. */
import { shortId } from "../format/short_names.ts";
import { selectActor } from "../navigate.ts";

export const ActorLink = ({ actor, id }: { actor: string; id: string }) => (
  <button
    type="button"
    class="link"
    title={`${id} (${actor})`}
    onClick={() => selectActor(actor)}
  >
    {shortId(id)}
  </button>
);
