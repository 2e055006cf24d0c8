/// <reference lib="dom" />
/** Stores preferences in the browser. If it blocks storage, they last as long as the page. */

const nameOf = (choice: string): string => `pth-viz-${choice}`;

export function readPreference(choice: string): string | null {
  try {
    return localStorage.getItem(nameOf(choice));
  } catch {
    // A browser that blocks storage throws here.
    return null;
  }
}

export function writePreference(choice: string, value: string): void {
  try {
    localStorage.setItem(nameOf(choice), value);
  } catch {
    // As above: the choice is not remembered, and nothing else is lost.
  }
}
