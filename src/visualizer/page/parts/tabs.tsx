/// <reference lib="dom" />
/** Chart, sequence or events. */
import type { Tab } from "../address.ts";
import { showTab } from "../navigate.ts";
import { currentTab } from "../state.ts";

const tabs: readonly { tab: Tab; name: string; title: string }[] = [
  { tab: "chart", name: "Chart", title: "The selected actor's machine, and where in it the actor is (1)" },
  { tab: "sequence", name: "Sequence", title: "Who told whom what, in order (2)" },
  { tab: "events", name: "Events", title: "Every event, to filter and to search (3)" },
];

export function Tabs() {
  const move = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const index = tabs.findIndex((entry) => entry.tab === currentTab.value);
    const next = tabs[(index + by + tabs.length) % tabs.length];
    if (next === undefined) return;
    showTab(next.tab);
    document.getElementById(`tab-${next.tab}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Views" onKeyDown={move}>
      {tabs.map((entry) => (
        <button
          type="button"
          role="tab"
          key={entry.tab}
          id={`tab-${entry.tab}`}
          title={entry.title}
          aria-selected={currentTab.value === entry.tab}
          aria-controls="panel"
          tabIndex={currentTab.value === entry.tab ? 0 : -1}
          onClick={() => showTab(entry.tab)}
        >
          {entry.name}
        </button>
      ))}
    </div>
  );
}
