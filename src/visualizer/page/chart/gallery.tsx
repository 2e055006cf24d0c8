/// <reference lib="dom" />
/** All machines, to choose one: what each is for, and its picture. */
import { useEffect, useRef } from "preact/hooks";
import type { MachineEntry } from "../../server/api.ts";
import { api } from "../api.ts";
import { openMachine } from "../navigate.ts";
import * as state from "../state.ts";
import { parseSvg } from "./chart_drawing.ts";

export function Gallery() {
  const failure = state.loadFailures.value.machines;
  if (failure !== undefined) {
    return <p class="empty" role="alert">The machines cannot be listed: {failure.message}</p>;
  }
  return (
    <div class="gallery">
      <p>
        Everything in a session is an actor, and each actor follows one of these machines. Choose one to see
        its states; open a live session or a recording, above, to see them at work.
      </p>
      <ul>
        {state.machineEntries.value.map((entry) => (
          <li key={entry.machine}>
            <Entry {...entry} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Entry({ machine, summary, states, transitions }: MachineEntry) {
  return (
    <button type="button" class="gallery-entry" onClick={() => openMachine(machine)}>
      <Thumbnail machine={machine} />
      <strong>{machine}</strong>
      <span>{summary}</span>
      <small>{states} states, {transitions} transitions</small>
    </button>
  );
}

/** Picture of a machine, as decoration: an error is reported when the machine is chosen. */
function Thumbnail({ machine }: { machine: string }) {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    let wanted = true;
    void oneByOne(async () => {
      if (wanted) place.current?.replaceChildren(await pictureOf(machine));
    });
    return () => void (wanted = false);
  }, [machine]);
  return <span ref={place} class="gallery-picture" aria-hidden="true" />;
}

let before: Promise<void> = Promise.resolve();
/** Laying out takes the server some time: the first picture is to come soon, not all of them late. */
const oneByOne = (work: () => Promise<void>): Promise<void> => before = before.then(work);

async function pictureOf(machine: string): Promise<Node> {
  try {
    const picture = parseSvg(await api.machineSvg(machine));
    picture.removeAttribute("width");
    picture.removeAttribute("height");
    return picture;
  } catch (error) {
    return document.createTextNode(`No picture: ${error instanceof Error ? error.message : error}`);
  }
}
