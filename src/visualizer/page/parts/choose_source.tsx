/// <reference lib="dom" />
/** Several sessions run and none is named, or one that there is not: its user chooses. */
import { machinesSource } from "../address.ts";
import { lastPart } from "../format/short_names.ts";
import { openSource } from "../navigate.ts";
import { viewerSources } from "../state.ts";

export function ChooseSource() {
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
