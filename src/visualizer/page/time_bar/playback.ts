/// <reference lib="dom" />
/** Plays the recording: as fast as it was, slower or faster; long silences are cut short. */
import { effect, signal } from "@preact/signals";
import { api } from "../api.ts";
import { attempt } from "../attempt.ts";
import { followEnd, standAt } from "../navigate.ts";
import * as state from "../state.ts";

export const speeds = [0.1, 0.5, 1, 5, 20, 100] as const;
export const speed = signal<number>(1);
export const playing = signal(false);

const tickMs = 100;
/** Milliseconds of the player's time. */
const longestSilence = 1000;
/** All events count, also those that are not listed. */
const everything = { internal: true };

/** Counts what was begun: of two that run into each other only the later goes on. */
let plays = 0;

export function togglePlayback(): void {
  if (playing.value) playing.value = false;
  else void play(++plays);
}

async function play(turn: number): Promise<void> {
  const source = state.sourceId.value;
  if (source === undefined) return;
  if (state.following.value || state.shownMs.value >= state.duration.value) standAt(0, 0);
  playing.value = true;
  let ms = state.shownMs.value;
  /** Where it stood last: from anywhere else its user has to have gone there. */
  let stood = here();
  let silence = 0;
  const goesOn = () => playing.value && plays === turn && state.sourceId.value === source;
  while (goesOn()) {
    const started = performance.now();
    const next = await attempt("time", () => api.position(source, ms));
    if (next === undefined || !goesOn()) break;
    if (state.position.value !== stood.position || state.moment.value !== stood.moment) {
      if (state.following.value) break;
      ms = state.shownMs.value;
      stood = here();
      continue;
    }
    standAt(next.position, ms);
    silence = next.position === stood.position ? silence + tickMs : 0;
    stood = here();
    if (silence >= longestSilence) ms = Math.max(ms, await nextEventMs(source, next.position));
    if (ms >= state.duration.value) break;
    ms += tickMs * speed.value;
    await new Promise((resolve) =>
      setTimeout(resolve, tickMs - Math.min(tickMs, performance.now() - started))
    );
  }
  const arrived = goesOn() && ms >= state.duration.value;
  if (plays === turn) playing.value = false;
  if (arrived && state.live.value) followEnd();
}

const here = () => ({ position: state.position.value, moment: state.moment.value });

async function nextEventMs(source: string, position: number): Promise<number> {
  const next = await attempt("time", async () => {
    const index = await api.rowsUpTo(source, everything, position, state.length.value);
    return await api.events(source, everything, index, 1);
  });
  return next?.rows[0]?.at ?? state.duration.value;
}

/** Another source, or none: playing is over. */
effect(() => {
  if (!state.inSession.value) playing.value = false;
});
