/// <reference lib="dom" />
/** An actor's name that selects it. */
import { selectActor } from "../navigate.ts";

export const ActorLink = ({ actor, id }: { actor: string; id: string }) => (
  <button
    type="button"
    class="link"
    title={actor}
    onClick={() => selectActor(actor)}
  >
    {id}
  </button>
);
