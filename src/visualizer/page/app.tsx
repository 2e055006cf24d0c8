/// <reference lib="dom" />
/** The page: header, actors, what is looked at, the inspector, and time. */
import { ChartView } from "./chart/chart_view.tsx";
import { Dialogs } from "./dialogs/dialogs.tsx";
import { EventsView } from "./events/events_view.tsx";
import { Header } from "./header/header.tsx";
import { Notices } from "./header/notices.tsx";
import { Inspector } from "./inspector/inspector.tsx";
import { gridStyle, isHidden } from "./panels/panels.ts";
import { Splitter } from "./panels/splitter.tsx";
import { ChooseSource } from "./parts/choose_source.tsx";
import { Tabs } from "./parts/tabs.tsx";
import { SequenceView } from "./sequence/sequence_view.tsx";
import { currentTab, inSession, isChoosingSource } from "./state.ts";
import { TimeBar } from "./time_bar/time_bar.tsx";
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
