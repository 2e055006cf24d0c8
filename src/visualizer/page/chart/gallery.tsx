/// <reference lib="dom" />
/** All machines, to choose one: what each is for, and its picture. */
import { useEffect, useRef } from "preact/hooks";
import type { MachineEntry } from "../../server/api.ts";
import { openMachine } from "../navigate.ts";
import * as state from "../state.ts";
import { drawingOf } from "./drawing.ts";
import { parseSvg } from "./parse_svg.ts";

export function Gallery() {
  const failure = state.failures.value.machines;
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
        {state.machines.value.map((entry) => (
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

/** Decoration: where it cannot be had, choosing the machine says why. */
function Thumbnail({ machine }: { machine: string }) {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    drawingOf(machine).then(({ svg, laidOut }) => {
      const picture = parseSvg(svg);
      picture.setAttribute("viewBox", `0 0 ${laidOut.width} ${laidOut.height}`);
      picture.removeAttribute("width");
      picture.removeAttribute("height");
      place.current?.replaceChildren(picture);
    }, () => place.current?.replaceChildren("no picture"));
  }, [machine]);
  return <span ref={place} class="gallery-picture" aria-hidden="true" />;
}
