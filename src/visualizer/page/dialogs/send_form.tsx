/// <reference lib="dom" />
/** Sends an event to the selected actor of a live session. */
import { useState } from "preact/hooks";
import { api, toApiFailure } from "../api.ts";
import { FailureText } from "../parts/problem_message.tsx";
import {
  actorsById,
  closeDialog,
  currentSource,
  type Failure,
  selectedActor,
  selectedDetail,
} from "../state.ts";

type Answer = { sent: string } | { failure: Failure };

export function SendForm() {
  const [type, setType] = useState("");
  const [facts, setFacts] = useState("");
  const [answer, setAnswer] = useState<Answer | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const actor = selectedActor.value;
  const shown = currentSource.value;
  if (actor === undefined || !shown?.maySend) {
    return <p>No event can be sent: the session ended, or no actor is selected.</p>;
  }
  const read = readEvent(type, facts);
  const wrong = "wrong" in read && (read.field === "facts" || type !== "") ? read : undefined;
  const send = async (event: Event) => {
    event.preventDefault();
    if (!("event" in read)) return;
    setBusy(true);
    setAnswer(await ask(shown.id, actor, read.event));
    setBusy(false);
  };
  const name = actorsById.value.get(actor)?.id ?? actor;
  return (
    <form onSubmit={send}>
      <h2>Send an event to {name}</h2>
      <p class="quiet">It goes to the running session and changes it. What it leads to shows here at once.</p>
      <label>
        <span>Type</span>
        <input
          list="event-types"
          value={type}
          aria-invalid={wrong?.field === "type"}
          onInput={(event) => setType((event.currentTarget as HTMLInputElement).value)}
        />
        <datalist id="event-types">
          {waitedFor().map((known) => <option key={known} value={known} />)}
        </datalist>
      </label>
      <label>
        <span>Facts, as JSON</span>
        <textarea
          spellcheck={false}
          placeholder='{ "name": "value" }'
          value={facts}
          aria-invalid={wrong?.field === "facts"}
          onInput={(event) => setFacts((event.currentTarget as HTMLTextAreaElement).value)}
        />
      </label>
      {wrong && <p class="bad" role="alert">{wrong.wrong}</p>}
      {answer && "failure" in answer && <FailureText failure={answer.failure} />}
      {answer && "sent" in answer && <p role="status">Sent {answer.sent} to {name}.</p>}
      <div class="actions">
        <button type="button" onClick={closeDialog}>Close</button>
        <button type="submit" class="primary" disabled={busy || !("event" in read)}>Send</button>
      </div>
    </form>
  );
}

async function ask(source: string, actor: string, event: { type: string }): Promise<Answer> {
  try {
    await api.send(source, { actor, event });
    return { sent: event.type };
  } catch (error) {
    return { failure: toApiFailure(error) };
  }
}

/** Types of events that the actor's states have transitions for and that users may send. */
function waitedFor(): string[] {
  const all = selectedDetail.value?.explanation.waitsFor.flatMap(({ events }) => events) ?? [];
  return [...new Set(all)].filter((type) => type !== "*" && !type.startsWith("xstate."));
}

type ReadEvent =
  | { event: { type: string; [fact: string]: unknown } }
  /** Message for the user, and the field that it is about. */
  | { wrong: string; field: "type" | "facts" };

export function readEvent(type: string, facts: string): ReadEvent {
  const name = type.trim();
  if (name === "") return { wrong: "Choose or type the event's type.", field: "type" };
  if (/\s/.test(name)) return { wrong: "A type has no spaces.", field: "type" };
  if (name.startsWith("xstate.")) {
    return { wrong: "XState sends its own events itself; choose one of the machine's.", field: "type" };
  }
  if (facts.trim() === "") return { event: { type: name } };
  let read: unknown;
  try {
    read = JSON.parse(facts);
  } catch (error) {
    return { wrong: `This is not JSON: ${(error as Error).message}`, field: "facts" };
  }
  if (typeof read !== "object" || read === null || Array.isArray(read)) {
    return { wrong: 'Facts are an object: { "name": value }.', field: "facts" };
  }
  if ("type" in read) {
    return { wrong: "The type goes into its own field, not among the facts.", field: "facts" };
  }
  return { event: { ...read, type: name } };
}
