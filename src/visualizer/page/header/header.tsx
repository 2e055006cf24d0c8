/// <reference lib="dom" />
/** Header of the page: source, state of its connection, and commands for the whole page. */
import { machinesSource } from "../address.ts";
import { api } from "../api.ts";
import { lastPart } from "../format.ts";
import { openSource } from "../navigate.ts";
import {
  currentSource,
  feedStatus,
  inSession,
  isChoosingSource,
  openDialog,
  sourceId,
  viewerSources,
} from "../state.ts";
import { effect, signal } from "@preact/signals";
import { readPreference, writePreference } from "../read_preference.ts";

export function Header() {
  return (
    <header class="header">
      <h1>PTH</h1>
      <SourcePicker />
      <State />
      <span class="quiet cut detail" title={currentSource.value?.detail}>
        {sourceId.value === machinesSource
          ? "PTH's machines, without a session"
          : currentSource.value?.detail}
      </span>
      {inSession.value && !isChoosingSource.value && sourceId.value !== undefined && (
        <a class="button" href={api.recordingPath(sourceId.value)} download title="The recording as a file">
          Save
        </a>
      )}
      <button type="button" onClick={nextTheme} title="Light, dark, or as the system is">
        Theme: {theme.value}
      </button>
      <button type="button" onClick={() => openDialog("help")} title="Keys, and what is what (?)">
        Help
      </button>
    </header>
  );
}

function SourcePicker() {
  const choose = (event: Event) => openSource((event.currentTarget as HTMLSelectElement).value);
  const known = viewerSources.value;
  const chosen = sourceId.value ?? "";
  return (
    <label>
      <span class="unseen">Source</span>
      <select id="source" value={chosen} onChange={choose}>
        {chosen === "" && <option value="">Choose …</option>}
        <option value={machinesSource}>Machines, without a session</option>
        {chosen !== "" && chosen !== machinesSource && known.every(({ id }) => id !== chosen) && (
          <option value={chosen}>{chosen}</option>
        )}
        {(["live", "recording"] as const).map((kind) => {
          const group = known.filter((entry) => entry.kind === kind);
          return group.length > 0 && (
            <optgroup key={kind} label={kind === "live" ? "Sessions" : "Recordings"}>
              {group.map(({ id, title, detail, state }) => (
                <option key={id} value={id}>
                  {lastPart(title)} ({state === "ended" ? "ended" : kind === "live" ? detail : "recording"})
                </option>
              ))}
            </optgroup>
          );
        })}
      </select>
    </label>
  );
}

/** The session's state; the connection only where it is not as it should be. */
function State() {
  if (feedStatus.value === "lost") return <span class="badge lost">reconnecting</span>;
  if (feedStatus.value === "refused") return <span class="badge lost">not connected</span>;
  const shown = currentSource.value;
  if (shown === undefined) return null;
  if (shown.state === "live") return <span class="badge live">live</span>;
  return <span class="badge ended">{shown.state === "ended" ? "ended" : "recording"}</span>;
}

type ThemeChoice = "system" | "light" | "dark";

const themes: readonly ThemeChoice[] = ["system", "light", "dark"];

const theme = signal<ThemeChoice>("system");

const nextTheme = (): void => {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? "system";
};

export function keepTheme(): void {
  theme.value = themes.find((name) => name === readPreference("theme")) ?? "system";
  effect(() => {
    const { dataset } = document.documentElement;
    if (theme.value === "system") delete dataset.theme;
    else dataset.theme = theme.value;
    writePreference("theme", theme.value);
  });
}
