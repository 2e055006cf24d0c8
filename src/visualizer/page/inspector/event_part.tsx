/// <reference lib="dom" />
/** The selected event, whole. */
import { signal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { EventRow } from "../../timeline/timeline.ts";
import { api, attempt } from "../api.ts";
import { latestOnly } from "../latest_only.ts";
import { feedStatus, selectedEvent, sourceId } from "../state.ts";
import { ProblemMessage } from "../parts/problem_message.tsx";
import { sinceStart } from "../format.ts";
import { ActorLink } from "./section.tsx";
import { JsonTree } from "./json_tree.tsx";

const shown = signal<EventRow & { event: unknown } | undefined>(undefined);

const load = latestOnly<{ source: string; position: number }>(async ({ source, position }) => {
  const row = await attempt("event", () => api.event(source, position));
  if (row !== undefined && sourceId.value === source && selectedEvent.value === position) shown.value = row;
});

export function EventPart({ position }: { position: number }) {
  useSignalEffect(() => {
    const source = sourceId.value;
    void feedStatus.value; // What was asked for in vain is asked for again.
    if (source !== undefined && selectedEvent.value !== undefined) {
      load({ source, position: selectedEvent.value });
    }
  });
  useEffect(() => () => void (shown.value = undefined), []);
  const row = shown.value?.position === position ? shown.value : undefined;
  const close = () => void (selectedEvent.value = undefined);
  return (
    <section aria-label="Selected event">
      <div class="inspector-head">
        <div class="row">
          <h2 class="grow mono">{row?.type ?? "…"}</h2>
          <button type="button" class="plain" aria-label="Close the event" onClick={close}>×</button>
        </div>
        {row && (
          <div class="quiet">
            {row.source ? <ActorLink {...row.source} /> : "outside"} → <ActorLink {...row.target} /> at{" "}
            {sinceStart(row.at)}
          </div>
        )}
        {row?.gist && <div class={row.trouble ? "bad" : ""}>{row.gist}</div>}
        {row?.ignored && <div class="quiet">Ignored: no transition was taken.</div>}
      </div>
      <ProblemMessage place="event" />
      {row && (
        <div class="summary">
          <JsonTree key={position} value={row.event} label="Event" />
        </div>
      )}
    </section>
  );
}
