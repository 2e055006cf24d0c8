/// <reference lib="dom" />
/** The visualizer's page. */
import { options, render } from "preact";
import { App } from "./app.tsx";
import { followEvents } from "./events/follow_events.ts";
import { listenToKeys } from "./listen_to_keys.ts";
import { keepPanels } from "./panels/panels.ts";
import { startLoading } from "./start_loading.ts";
import { keepTheme } from "./header/header.tsx";
import { keepAddress } from "./navigate.ts";

// At most once a frame, however fast a session is.
options.debounceRendering = requestAnimationFrame;
keepTheme();
keepPanels();
keepAddress();
startLoading();
followEvents();
listenToKeys();
render(<App />, document.getElementById("app") as HTMLElement);
