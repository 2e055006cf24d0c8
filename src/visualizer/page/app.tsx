/// <reference lib="dom" />
/** The page: header, tree of actors, the chosen view, inspector and time bar. */
import { ChartView } from "./chart/chart_view.tsx";
import { Dialogs } from "./dialogs/dialogs.tsx";
import { EventsView } from "./events/events_view.tsx";
import { Header } from "./header/header.tsx";
import { Notices } from "./header/notices.tsx";
import { Inspector } from "./inspector/inspector.tsx";
import { gridStyle, isHidden } from "./panels/panels.ts";
import { Splitter } from "./panels/splitter.tsx";
import { SequenceView } from "./sequence/sequence_view.tsx";
import { currentTab, inSession, isChoosingSource, viewerSources } from "./state.ts";
import { TimeBar } from "./time_bar/time_bar.tsx";
import { machinesSource, type Tab } from "./address.ts";
import { lastPart } from "./format.ts";
import { openSource, showTab } from "./navigate.ts";
import { ActorTree } from "./tree/actor_tree.tsx";

export function App() {
  const session = inSession.value && !isChoosingSource.value;
  return (
    <div class={`page ${session ? "" : "without-session"}`} style={gridStyle()}>
      <Header />
      <Notices />
      {session && !isHidden("tree") && <ActorTree />}
      {session && <Splitter panel="tree" />}
      <main class="centre">
        {session && <Tabs />}
        <div
          class="panel"
          role={session ? "tabpanel" : undefined}
          id="panel"
          aria-labelledby={session ? `tab-${currentTab.value}` : undefined}
        >
          {isChoosingSource.value ? <ChooseSource /> : <View />}
        </div>
      </main>
      {session && <Splitter panel="inspector" />}
      {session && !isHidden("inspector") && <Inspector />}
      {session && <TimeBar />}
      <Dialogs />
    </div>
  );
}

function View() {
  if (!inSession.value || currentTab.value === "chart") return <ChartView />;
  return currentTab.value === "sequence" ? <SequenceView /> : <EventsView />;
}

function ChooseSource() {
  return (
    <div class="empty">
      <h2>What do you want to look at?</h2>
      <ul class="facts">
        {viewerSources.value.map(({ id, title, detail, state }) => (
          <li key={id}>
            <button type="button" onClick={() => openSource(id)} title={title}>{lastPart(title)}</button>
            <span class="quiet grow">{detail}</span>
            <span class={`badge ${state === "live" ? "live" : "ended"}`}>
              {state === "whole" ? "recording" : state}
            </span>
          </li>
        ))}
        <li>
          <button type="button" onClick={() => openSource(machinesSource)}>The machines</button>
          <span class="quiet grow">as they are, without a session</span>
        </li>
      </ul>
    </div>
  );
}

const tabs: readonly { tab: Tab; name: string; title: string }[] = [
  { tab: "chart", name: "Chart", title: "The selected actor's machine, and where in it the actor is (1)" },
  { tab: "sequence", name: "Sequence", title: "Events between actors, in order (2)" },
  { tab: "events", name: "Events", title: "All events, to filter and search (3)" },
];

function Tabs() {
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
