/// <reference lib="dom" />
/** Plays the recording: as fast as it was, slower or faster; long silences are cut short. */
import { effect, signal } from "@preact/signals";
import { api, attempt } from "../api.ts";
import { followEnd, seekTo } from "../navigate.ts";
import * as state from "../state.ts";

export const playbackSpeeds = [0.1, 0.5, 1, 5, 20, 100] as const;
export const playbackSpeed = signal<number>(1);
export const isPlaying = signal(false);

const tickMs = 100;
/** Milliseconds of the player's time. */
const longestSilence = 1000;
/** All events count, also those that are not listed. */
const everything = { internal: true };

/** Counts what was begun: of two that run into each other only the later goes on. */
let plays = 0;

export function togglePlayback(): void {
  if (isPlaying.value) isPlaying.value = false;
  else void play(++plays);
}

async function play(turn: number): Promise<void> {
  const source = state.sourceId.value;
  if (source === undefined) return;
  if (state.followsEnd.value || state.shownMs.value >= state.recordingDuration.value) seekTo(0, 0);
  isPlaying.value = true;
  let ms = state.shownMs.value;
  /** Location after the last step of playback: any other one is the user's choice. */
  let stood = here();
  let silence = 0;
  const goesOn = () => isPlaying.value && plays === turn && state.sourceId.value === source;
  while (goesOn()) {
    const started = performance.now();
    const next = await attempt("time", () => api.position(source, ms));
    if (next === undefined || !goesOn()) break;
    if (state.timelinePosition.value !== stood.position || state.currentMoment.value !== stood.moment) {
      if (state.followsEnd.value) break;
      ms = state.shownMs.value;
      stood = here();
      continue;
    }
    seekTo(next.position, ms);
    silence = next.position === stood.position ? silence + tickMs : 0;
    stood = here();
    if (silence >= longestSilence) ms = Math.max(ms, await nextEventMs(source, next.position));
    if (ms >= state.recordingDuration.value) break;
    ms += tickMs * playbackSpeed.value;
    await new Promise((resolve) =>
      setTimeout(resolve, tickMs - Math.min(tickMs, performance.now() - started))
    );
  }
  const arrived = goesOn() && ms >= state.recordingDuration.value;
  if (plays === turn) isPlaying.value = false;
  if (arrived && state.isLive.value) followEnd();
}

const here = () => ({ position: state.timelinePosition.value, moment: state.currentMoment.value });

async function nextEventMs(source: string, position: number): Promise<number> {
  const next = await attempt("time", async () => {
    const index = await api.rowsUpTo(source, everything, position, state.eventCount.value);
    return await api.events(source, everything, index, 1);
  });
  return next?.rows[0]?.at ?? state.recordingDuration.value;
}

/** Another source, or none: playing is over. */
effect(() => {
  if (!state.inSession.value) isPlaying.value = false;
});
