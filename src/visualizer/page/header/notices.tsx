/// <reference lib="dom" />
/** Notices for the whole page: the viewer or the session has ended, or the recording is damaged. */
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { machinesSource } from "../address.ts";
import { openSource } from "../navigate.ts";
import {
  currentSource,
  endedReason,
  feedStatus,
  inSession,
  recordingOverview,
  sourceId,
  viewerSources,
} from "../state.ts";
import { ProblemMessage } from "../parts/problem_message.tsx";

/** Texts that were read and sent away. */
const dismissed = signal<ReadonlySet<string>>(new Set());

export function Notices() {
  return (
    <div class="notices" aria-live="polite">
      {feedStatus.value === "lost" && (
        <Notice failing>
          The viewer does not answer. If it ended, run <code>pth viz</code>{" "}
          again; the page keeps what it shows, and tries to reconnect.
        </Notice>
      )}
      {feedStatus.value === "refused" && (
        <Notice failing>
          The viewer that this page belongs to ended. Run <code>pth viz</code>{" "}
          again and open the address that it prints.
        </Notice>
      )}
      {sourceId.value === machinesSource && <Running />}
      <ProblemMessage place="sources" />
      <ProblemMessage place="source" />
      <ProblemMessage place="machines" />
      <ProblemMessage place="trouble" />
      <ProblemMessage place="time" />
      {inSession.value && <Ended />}
      {inSession.value &&
        recordingOverview.value?.problems.map((text) => (
          <Dismissible key={text} text={text}>{text}</Dismissible>
        ))}
    </div>
  );
}

/** The page was opened before there was a session to look at. */
function Running() {
  const running = viewerSources.value.filter(({ state }) => state === "live");
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
  if (reason === undefined && currentSource.value?.state !== "ended") return null;
  return (
    <Dismissible text={`ended ${currentSource.value?.id}`}>
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
