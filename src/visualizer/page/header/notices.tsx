/// <reference lib="dom" />
/** What one has to know of the whole: the viewer or the session is gone, the recording is damaged. */
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { machinesSource } from "../address.ts";
import { openSource } from "../navigate.ts";
import { connection, endedReason, inSession, overview, source, sourceId, sources } from "../state.ts";
import { Problem } from "../parts/problem.tsx";

/** Texts that were read and sent away. */
const dismissed = signal<ReadonlySet<string>>(new Set());

export function Notices() {
  return (
    <div class="notices" aria-live="polite">
      {connection.value === "lost" && (
        <Notice failing>
          The viewer does not answer. If it ended, run <code>pth viz</code>{" "}
          again; the page keeps what it shows, and tries to reconnect.
        </Notice>
      )}
      {connection.value === "refused" && (
        <Notice failing>
          The viewer that this page belongs to ended. Run <code>pth viz</code>{" "}
          again and open the address that it prints.
        </Notice>
      )}
      {sourceId.value === machinesSource && <Running />}
      <Problem place="sources" />
      <Problem place="source" />
      <Problem place="machines" />
      <Problem place="trouble" />
      <Problem place="time" />
      {inSession.value && <Ended />}
      {inSession.value &&
        overview.value?.problems.map((text) => <Dismissible key={text} text={text}>{text}</Dismissible>)}
    </div>
  );
}

/** The page was opened before there was a session to look at. */
function Running() {
  const running = sources.value.filter(({ state }) => state === "live");
  const [session] = running;
  if (session === undefined) return null;
  return (
    <Dismissible text={`runs ${session.id}`}>
      {running.length === 1 ? "A session runs" : `${running.length} sessions run; the first`}:{" "}
      {session.title}, {session.detail}.{" "}
      <button type="button" onClick={() => openSource(session.id)}>Look at it</button>
    </Dismissible>
  );
}

function Ended() {
  const reason = endedReason.value;
  if (reason === undefined && source.value?.state !== "ended") return null;
  return (
    <Dismissible text={`ended ${source.value?.id}`}>
      The session ended{reason ? `: ${reason}` : ""}. What happened until then stays here.
    </Dismissible>
  );
}

function Dismissible({ text, children }: { text: string; children: ComponentChildren }) {
  if (dismissed.value.has(text)) return null;
  const dismiss = () => void (dismissed.value = new Set([...dismissed.value, text]));
  return <Notice dismiss={dismiss}>{children}</Notice>;
}

interface NoticeProps {
  children: ComponentChildren;
  failing?: boolean;
  dismiss?: () => void;
}

const Notice = ({ children, failing = false, dismiss }: NoticeProps) => (
  <div class={`notice ${failing ? "failing" : ""}`}>
    <p>{children}</p>
    {dismiss && <button type="button" onClick={dismiss}>Dismiss</button>}
  </div>
);
