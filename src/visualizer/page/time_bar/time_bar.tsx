/// <reference lib="dom" />
/** Time bar: the shown moment and the controls to move in time. */
import { groupedDigits, onClock, shortId, sinceStart } from "../format.ts";
import { followEnd } from "../navigate.ts";
import {
  anchorPosition,
  errorMarks,
  eventCount,
  eventsSeen,
  followsEnd,
  isLive as live,
  recordingDuration,
  recordingOverview,
  shownMs,
  shownPosition,
} from "../state.ts";
import { isPlaying, playbackSpeed, playbackSpeeds, togglePlayback } from "./playback.ts";
import { draggedMs, goToStart, stepBy, stepToError } from "./step_by.ts";
import { Track } from "./track.tsx";

export function TimeBar() {
  return (
    <footer class="time" aria-label="Time">
      <Track />
      <div class="controls">
        <Moves />
        <Playing />
        <TroubleMoves />
        <Moment />
        <End />
      </div>
    </footer>
  );
}

const Moves = () => (
  <>
    <button type="button" onClick={goToStart} title="To the start (Home)">Start</button>
    <button
      type="button"
      onClick={(event) => void stepBy(-1, event.shiftKey)}
      title="One event back, of those that the filter lets through (←; with Shift: of the selected actor)"
    >
      ‹ Event
    </button>
    <button
      type="button"
      onClick={(event) => void stepBy(1, event.shiftKey)}
      title="One event on, of those that the filter lets through (→; with Shift: of the selected actor)"
    >
      Event ›
    </button>
  </>
);

function Playing() {
  const choose = (event: Event) => {
    playbackSpeed.value = Number((event.currentTarget as HTMLSelectElement).value);
  };
  return (
    <>
      <button
        type="button"
        onClick={togglePlayback}
        aria-pressed={isPlaying.value}
        title="Play or pause (Space)"
      >
        {isPlaying.value ? "Pause" : "Play"}
      </button>
      <select
        value={String(playbackSpeed.value)}
        onChange={choose}
        aria-label="Speed"
        title="Playback speed"
      >
        {playbackSpeeds.map((times) => <option key={times} value={String(times)}>{times}×</option>)}
      </select>
    </>
  );
}

function TroubleMoves() {
  const found = errorMarks.value;
  if (found.length === 0) return <span class="quiet told">No errors</span>;
  const here = found.find(({ position }) => position === anchorPosition.value);
  const told = here
    ? `${shortId(here.actor.id)}: ${here.text}`
    : found.length === 1
    ? "1 error"
    : `${groupedDigits(found.length)} errors`;
  return (
    <>
      <button type="button" onClick={() => void stepToError(-1)} title="To the previous error (p)">
        ‹ Error
      </button>
      <button type="button" onClick={() => void stepToError(1)} title="To the next error (n)">
        Error ›
      </button>
      <span class="bad cut told" title={here && told}>{told}</span>
    </>
  );
}

function Moment() {
  const ms = draggedMs.value ?? shownMs.value;
  const startedAt = recordingOverview.value?.header.startedAt;
  return (
    <span class="moment" title={startedAt && `${onClock(startedAt, ms)}, local time`}>
      {sinceStart(ms)} / {sinceStart(recordingDuration.value)}{" "}
      <span class="quiet">
        line {groupedDigits(shownPosition.value)} of {groupedDigits(eventCount.value)}
      </span>
    </span>
  );
}

function End() {
  const isLive = live.value;
  if (followsEnd.value) {
    return isLive
      ? <span class="badge live" title="The page shows what happens now">following</span>
      : <span class="badge ended">at the end</span>;
  }
  const missed = (recordingOverview.value?.events ?? 0) - eventsSeen.value;
  const behind = isLive && missed > 0;
  return (
    <button type="button" class={behind ? "primary" : ""} onClick={followEnd} title="To the end (End)">
      {isLive ? "Follow live" : "To the end"}
      {behind && ` · ${groupedDigits(missed)} events since`}
    </button>
  );
}
