/// <reference lib="dom" />
import { healthText, shortId, sinceStart, stateText } from "../format.ts";
import { ProblemMessage } from "../parts/problem_message.tsx";
import {
  actorsById,
  currentSource,
  loadFailures,
  openDialog,
  selectedActor,
  selectedDetail,
  selectedEvent,
} from "../state.ts";
import { EventPart } from "./event_part.tsx";
import { ExplanationPart } from "./explanation_part.tsx";
import { ActorLink, Section } from "./section.tsx";
import type { ActorDetail } from "../../timeline/timeline.ts";
import { JsonTree } from "./json_tree.tsx";

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
  const shown = selectedDetail.value?.actor === selectedActor.value ? selectedDetail.value : undefined;
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
    (selectedDetail.value?.actor === actor ? selectedDetail.value : undefined);
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

const ContextPart = ({ detail: { context, contextAt, actor } }: { detail: ActorDetail }) => (
  <Section title="Context" hint="The machine's context; secrets are redacted">
    {context === undefined
      ? (
        <span class="quiet">
          It was removed here to keep the recording small. Move to a moment at which it is recorded.
        </span>
      )
      : (
        <>
          {contextAt !== undefined && <div class="quiet">as of {sinceStart(contextAt)}</div>}
          <JsonTree key={actor} value={context} label="Context" />
        </>
      )}
  </Section>
);
