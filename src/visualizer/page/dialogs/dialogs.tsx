/// <reference lib="dom" />
/** Help and the form to send an event, over the page. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { closeDialog, openedDialog } from "../state.ts";
import { SendForm } from "./send_form.tsx";

export function Dialogs() {
  if (openedDialog.value === "help") {
    return (
      <Dialog label="Help">
        <HelpText />
      </Dialog>
    );
  }
  if (openedDialog.value === "send") {
    return (
      <Dialog label="Send an event">
        <SendForm />
      </Dialog>
    );
  }
  return null;
}

function Dialog({ label, children }: { label: string; children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current?.showModal();
  }, []);
  const aside = (event: MouseEvent) => event.target === element.current && closeDialog();
  return (
    <dialog ref={element} aria-label={label} onClose={closeDialog} onClick={aside}>
      <div>{children}</div>
    </dialog>
  );
}

const keys: readonly [keys: readonly string[], what: string][] = [
  [["←", "→"], "one event back or forward, within the filter"],
  [["Shift ←", "Shift →"], "one event of the selected actor"],
  [["n", "p"], "to the next error; to the previous one"],
  [["Home", "End"], "to the start; to the end, following new events"],
  [["Space"], "play or pause"],
  [["1", "2", "3"], "chart, sequence, events"],
  [["/"], "search in the events"],
  [["+", "−", "0"], "zoom the chart; fit it, and press again to fit all of it"],
  [["a"], "in the chart: to the states that became active last"],
  [["?"], "this text"],
];

const HelpText = () => (
  <>
    {/* Read from its beginning: without it, the button at the end has the focus. */}
    <h2 tabIndex={-1} autofocus>What you see</h2>
    <p>
      PTH is made of <b>actors</b>: state machines, and the work that they start. They send each other{" "}
      <b>events</b>. The list on the left has the actors that live at one moment; the bar at the bottom shows
      which moment that is. Everything else shows the same moment. The number behind an actor is how many
      events it has received. The edges of the panels can be dragged; a double click hides a panel.
    </p>
    <table>
      <tbody>
        <Health name="well" text="it rests, or continues by itself" />
        <Health name="waiting" text="it waits for work that it started" />
        <Health name="failing" text="it, or something that it started, failed" />
        <Health name="ended" text="it has ended" />
      </tbody>
    </table>
    <p>
      Select an actor: <b>Chart</b>{" "}
      highlights its state in its machine, and the panel on the right explains why it is there, what it waits
      for and since when. <b>Sequence</b> and <b>Events</b>{" "}
      list the events between actors; an event in italics was ignored by its receiver. Red marks in the time
      bar are moments at which something failed. The higher a bar, the more events in its time.
    </p>
    <h2>Keys</h2>
    <table>
      <tbody>
        {keys.map(([names, what]) => (
          <tr key={what}>
            <td>{names.map((name) => <kbd key={name}>{name}</kbd>)}</td>
            <td>{what}</td>
          </tr>
        ))}
      </tbody>
    </table>
    <div class="actions">
      <button type="button" class="primary" onClick={closeDialog}>Close</button>
    </div>
  </>
);

const Health = ({ name, text }: { name: string; text: string }) => (
  <tr>
    <td>
      <span class="row">
        <span class={`health ${name}`} /> {name}
      </span>
    </td>
    <td>{text}</td>
  </tr>
);
