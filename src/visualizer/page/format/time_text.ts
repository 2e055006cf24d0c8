/** Times as people read them. All are milliseconds. */

const two = (number: number): string => String(number).padStart(2, "0");
const three = (number: number): string => String(number).padStart(3, "0");

/** How long: `0.4 ms`, `12 ms`, `3.2 s`, `4 min 5 s`, `2 h 3 min`. */
export function durationText(ms: number): string {
  if (ms < 1) return `${Math.round(ms * 10) / 10} ms`;
  // What would be rounded up to the next unit is told in that.
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** When, from the recording's start: `0:03.214`, `1:02:03.214`. */
export function sinceStart(ms: number): string {
  const whole = Math.max(0, Math.floor(ms));
  const minutes = Math.floor(whole / 60_000);
  const rest = `${two(Math.floor(whole / 1000) % 60)}.${three(whole % 1000)}`;
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}`;
}

/** When, on the clock of who looks: `14:03:22.123`. */
export function onClock(startedAt: string, ms: number): string {
  const at = new Date(Date.parse(startedAt) + ms);
  if (Number.isNaN(at.getTime())) return sinceStart(ms);
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${
    three(at.getMilliseconds())
  }`;
}

/** `12,345`, in every language alike. */
export const groupedDigits = (number: number): string => String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
