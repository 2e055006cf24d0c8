/** How to read a chart. */
const meanings: readonly (readonly [string, string])[] = [
  ["box", "A state. One inside another is a part of it."],
  ["active", "A state in which the actor is now."],
  ["dashed", "Regions side by side: the actor is in one state of each."],
  ["final", "A state in which the machine, or its part, is at an end."],
  ["dot", "The state that is entered first."],
  ["event [guard]", "A transition: on this event, if the guard says yes."],
  ["event → state, ↻", "The same, to a state in this one or around it; ↻: it begins anew."],
  ["after limit", "A transition when that time has passed."],
  ["always", "A transition taken at once, if its guard says yes."],
  ["work done, work failed", "A transition when invoked work ends."],
  ["taken", "The transition just taken."],
  ["refused", "A guard said no: point at it to see when."],
  ["entry / exit", "What is done when the state is entered or left."],
  ["invoke", "Work, or a machine, that runs while the state is active."],
];

export function Legend({ onClose }: { onClose(): void }) {
  return (
    <aside class="chart-legend" aria-label="Legend">
      <header>
        <strong>How to read a chart</strong>
        <button type="button" aria-label="Close" onClick={onClose}>×</button>
      </header>
      <dl>
        {meanings.map(([sign, meaning]) => (
          <div key={sign}>
            <dt class={`chart sign-${sign.split(" ")[0]}`}>{sign}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </aside>
  );
}
