/// <reference lib="dom" />
/**
 * Explains an actor's state: summary, pending work, events that it waits for, timers, refused guards and last
 * events.
 */
import type { ActorDetail, EventRow, Explanation } from "../../timeline/timeline.ts";
import { durationText, shortType, sinceStart } from "../format.ts";
import { filterByType, selectEvent } from "../navigate.ts";
import { ActorLink, Section } from "./section.tsx";

export function ExplanationPart({ detail }: { detail: ActorDetail }) {
  const { explanation, error, health } = detail;
  return (
    <>
      <div class={`summary ${health === "failing" ? "failing" : ""}`}>
        <p>{explanation.summary}</p>
        {error !== undefined && !explanation.summary.includes(error) && <pre class="bad">{error}</pre>}
      </div>
      <Pending pending={explanation.pending} />
      <WaitsFor waitsFor={explanation.waitsFor} />
      <Timers timers={explanation.timers} />
      <Refused refused={explanation.refused} />
      <LastEvents last={explanation.last} />
    </>
  );
}

/** The tree has all of them. */
const mostPending = 30;

function Pending({ pending }: Pick<Explanation, "pending">) {
  if (pending.length === 0) return null;
  return (
    <Section
      title="Pending"
      count={pending.length}
      hint="Work and machines that it started and that have not ended"
    >
      <ul class="facts">
        {pending.slice(0, mostPending).map(({ actor, id, slot, machine, ageMs, given }) => (
          <li key={actor}>
            <span class="grow">
              <ActorLink actor={actor} id={id} />{" "}
              <span class="quiet">{machine ? `machine ${machine}` : slot ?? ""}</span>
              {given && <div class="quiet">{given}</div>}
            </span>
            <span class="end" title="How long it has run">{durationText(ageMs)}</span>
          </li>
        ))}
        {pending.length > mostPending && <li class="quiet">and {pending.length - mostPending} more</li>}
      </ul>
    </Section>
  );
}

function WaitsFor({ waitsFor }: Pick<Explanation, "waitsFor">) {
  if (waitsFor.length === 0) return null;
  return (
    <Section title="Waits for" hint="Events that its states have transitions for, innermost state first">
      {waitsFor.map(({ state, events }) => (
        <div key={state}>
          <div class="quiet">in {state}</div>
          <ul class="facts">
            {events.map((type) => (
              <li key={type}>
                <button
                  type="button"
                  class="link mono"
                  title={`List events of type ${type}`}
                  onClick={() => filterByType(type)}
                >
                  {shortType(type)}
                </button>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </Section>
  );
}

function Timers({ timers }: Pick<Explanation, "timers">) {
  if (timers.length === 0) return null;
  return (
    <Section title="Timers" count={timers.length} hint="Transitions that come after a time in a state">
      <ul class="facts">
        {timers.map(({ event, state, leftMs }) => (
          <li key={`${state} ${event}`}>
            <span class="grow mono">
              {event} <span class="quiet">in {state}</span>
            </span>
            <span class="end">
              {leftMs === undefined ? "running" : `${durationText(Math.max(0, leftMs))} left`}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Refused({ refused }: Pick<Explanation, "refused">) {
  if (refused.length === 0) return null;
  return (
    <Section title="Refused by guards" count={refused.length} hint="Transitions whose guard refused">
      <ul class="facts">
        {refused.map(({ position, event, transition, guard }) => (
          <li key={`${position} ${transition}`} title={`${event || "always"} (${transition})`}>
            <span class="grow">
              <span class="mono">{shortType(event) || "always"}</span>: <span class="bad">{guard}</span>{" "}
              said no
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function LastEvents({ last }: { last: readonly EventRow[] }) {
  return (
    <Section title="Last events" count={last.length} hint="Events received last, newest first">
      {last.length === 0 && <span class="quiet">It has received no event yet.</span>}
      <ul class="facts">
        {last.map((row) => (
          <li key={row.position}>
            <span class="grow">
              <button
                type="button"
                class={`link mono ${row.trouble ? "bad" : ""}`}
                title={`${row.type} from ${row.source?.id ?? "outside"}; go there`}
                onClick={() => selectEvent(row)}
              >
                {shortType(row.type)}
              </button>{" "}
              <span class="quiet">{row.gist}</span>
            </span>
            <span class="end">{sinceStart(row.at)}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
