/// <reference lib="dom" />
/** Help and the form to send an event, over the page. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { HelpText } from "./help_text.tsx";
import { closeDialog, openedDialog } from "./open_dialog.ts";
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
