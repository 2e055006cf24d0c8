/// <reference lib="dom" />
/** The selected event, and the selected actor: why it is where it is. */
import { openDialog } from "../dialogs/open_dialog.ts";
import { healthText } from "../format/health_text.ts";
import { shortId } from "../format/short_names.ts";
import { stateText } from "../format/state_text.ts";
import { sinceStart } from "../format/time_text.ts";
import { ProblemMessage } from "../parts/problem_message.tsx";
import {
  actorsById,
  currentSource,
  eventDetail,
  loadFailures,
  selectedActor,
  selectedEvent,
} from "../state.ts";
import { ActorLink } from "./actor_link.tsx";
import { EventPart } from "./event_part.tsx";
import { ExplanationPart } from "./explanation_part.tsx";
import { ContextPart } from "./context_part.tsx";

export function Inspector() {
  return (
    <aside class="inspector" aria-label="Inspector">
      {selectedActor.value === undefined && selectedEvent.value === undefined
        ? (
          <div class="empty">
            <h2>Nothing is selected</h2>
            <p>
              Select an actor on the left to see where it is and what it waits for, or an event to read it.
            </p>
          </div>
        )
        : <Selected />}
    </aside>
  );
}

function Selected() {
  const shown = eventDetail.value?.actor === selectedActor.value ? eventDetail.value : undefined;
  return (
    <div class="inspector-body">
      {selectedEvent.value !== undefined && <EventPart position={selectedEvent.value} />}
      <ProblemMessage place="detail" />
      {selectedActor.value !== undefined && <Head actor={selectedActor.value} />}
      {shown !== undefined && <ExplanationPart detail={shown} />}
      {shown !== undefined && shown.machine !== undefined && <ContextPart detail={shown} />}
    </div>
  );
}

function Head({ actor }: { actor: string }) {
  const row = actorsById.value.get(actor) ??
    (eventDetail.value?.actor === actor ? eventDetail.value : undefined);
  if (row === undefined) {
    return (
      <div class="inspector-head">
        <h2>{actor}</h2>
        {loadFailures.value.detail === undefined && <p class="quiet">Reading …</p>}
      </div>
    );
  }
  const parent = row.parent === undefined ? undefined : actorsById.value.get(row.parent);
  return (
    <div class="inspector-head">
      <div class="row">
        <h2 class="grow" title={row.id}>{row.name ?? row.slot ?? shortId(row.id)}</h2>
        <span class={`badge ${row.health === "well" ? "live" : row.health}`}>{healthText(row)}</span>
        {currentSource.value?.maySend && row.machine !== undefined && row.status === "active" && (
          <button
            type="button"
            onClick={() => openDialog("send")}
          >
            Send …
          </button>
        )}
      </div>
      <div class="mono">{stateText(row.value) || row.status}</div>
      <div class="quiet">
        {row.name === undefined ? "" : `${row.id}, `}
        {row.machine ? `machine ${row.machine}` : `work in slot ${row.slot ?? "?"}`}, since{" "}
        {sinceStart(row.startedAt)}
        {row.endedAt !== undefined && `, ended ${sinceStart(row.endedAt)}`}
        {parent && (
          <>
            , of <ActorLink actor={parent.actor} id={parent.id} />
          </>
        )}
      </div>
    </div>
  );
}
