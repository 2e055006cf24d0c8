/// <reference lib="dom" />
/** Filter of the event list and the sequence. */
import { useEffect, useState } from "preact/hooks";
import type { EventScope } from "../address.ts";
import { setFilter } from "../navigate.ts";
import { groupedDigits, sinceStart } from "../format.ts";
import { actorsById, eventFilterState, isLive, recordingOverview, selectedActor } from "../state.ts";

export function FilterBar({ total }: { total: number | undefined }) {
  const { scope, internal } = eventFilterState.value;
  const chosen = selectedActor.value;
  const name = chosen === undefined ? undefined : actorsById.value.get(chosen)?.id ?? chosen;
  return (
    <div class="bar" role="search" aria-label="Filter events">
      <TextFilter id="search" name="text" width="132px" label="Text" hint="Search (/)" />
      <TextFilter id="type-filter" name="type" width="118px" label="Type" hint="Type" />
      <label>
        <span class="unseen">Whose events</span>
        <select
          value={scope}
          onChange={(event) =>
            setFilter({ scope: (event.currentTarget as HTMLSelectElement).value as EventScope })}
        >
          <option value="all">all actors</option>
          <option value="actor" disabled={name === undefined}>{name ?? "the selected actor"}</option>
          <option value="descendants" disabled={name === undefined}>
            {name ?? "the selected actor"} and what it started
          </option>
        </select>
      </label>
      <label title="XState's own: xstate.init, xstate.stop and the like">
        <input
          type="checkbox"
          checked={internal}
          onChange={(event) => setFilter({ internal: (event.currentTarget as HTMLInputElement).checked })}
        />
        XState's own
      </label>
      <TimeSpan />
      <span class="quiet" role={isLive.value ? undefined : "status"}>
        {total === undefined
          ? ""
          : `${groupedDigits(total)} of ${groupedDigits(recordingOverview.value?.events ?? 0)}`}
      </span>
    </div>
  );
}

function TimeSpan() {
  const { since, until } = eventFilterState.value;
  if (since === undefined && until === undefined) return null;
  return (
    <button
      type="button"
      onClick={() => setFilter({ since: undefined, until: undefined })}
      title="All times again"
    >
      {sinceStart(since ?? 0)} – {until === undefined ? "end" : sinceStart(until)} ×
    </button>
  );
}

interface TextFilterProps {
  id: string;
  name: "text" | "type";
  width: string;
  label: string;
  hint: string;
}

/** Asks a moment after the last key, not at each. */
function TextFilter({ id, name, width, label, hint }: TextFilterProps) {
  const known = eventFilterState.value[name];
  const [typed, setTyped] = useState(known);
  useEffect(() => setTyped(known), [known]);
  useEffect(() => {
    if (typed === eventFilterState.peek()[name]) return;
    const timer = setTimeout(() => setFilter({ [name]: typed }), 200);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <input
      type="search"
      id={id}
      style={{ flex: "1 1 80px", minWidth: 0, maxWidth: width }}
      aria-label={label}
      placeholder={hint}
      title={name === "type"
        ? "Parts of types, separated by blanks; a - before one leaves it out: call -progress"
        : "Text anywhere in the event"}
      value={typed}
      onInput={(event) => setTyped((event.currentTarget as HTMLInputElement).value)}
    />
  );
}
