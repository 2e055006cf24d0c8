/// <reference lib="dom" />
/** Tree of actors by parent, with the health of each. */
import { computed, signal } from "@preact/signals";
import { groupedDigits, healthText, shortId, stateText } from "../format.ts";
import { selectActor } from "../navigate.ts";
import { ProblemMessage } from "../parts/problem_message.tsx";
import { VirtualList } from "../parts/virtual_list.tsx";
import { actorRows, endedMs, endedOfEach, eventCount, isLoaded, selectedActor, spans } from "../state.ts";
import { type TreeRow, treeRows } from "./tree_rows.ts";

const rowHeight = 24;
/** Milliseconds; also in the choice's values. */
const { living, recent, all } = spans;
const folded = signal<ReadonlySet<string>>(new Set());
const text = signal("");
const rows = computed(() =>
  treeRows(actorRows.value, {
    folded: folded.value,
    endedOfEach: endedOfEach.value,
    selected: selectedActor.value,
    text: text.value,
  })
);
const selectedIndex = computed(() => rows.value.findIndex(({ row }) => row.actor === selectedActor.value));

export function ActorTree() {
  const type = (event: Event) => void (text.value = (event.currentTarget as HTMLInputElement).value);
  return (
    <nav class="tree" aria-label="Actors">
      <div class="bar">
        <input
          type="search"
          class="grow"
          placeholder={`Filter ${groupedDigits(actorRows.value.length)}`}
          aria-label="Filter actors by name, machine or state"
          value={text.value}
          onInput={type}
        />
        <EndedChoice />
      </div>
      <ProblemMessage place="actors" />
      <VirtualList
        count={rows.value.length}
        rowHeight={rowHeight}
        role="tree"
        label="Actors"
        active={selectedIndex.value < 0 ? undefined : `actor-${selectedActor.value}`}
        current={selectedIndex.value < 0 ? undefined : selectedIndex.value}
        render={(index) => {
          const row = rows.value[index];
          return row && <Row key={row.row.actor} {...row} />;
        }}
        onKeyDown={moveByKeys}
        empty={<Empty />}
      />
    </nav>
  );
}

function EndedChoice() {
  const choose = (event: Event) => {
    endedMs.value = Number((event.currentTarget as HTMLSelectElement).value);
  };
  return (
    <select
      value={String(endedMs.value)}
      onChange={choose}
      aria-label="Ended actors"
      title="Living actors; also those that ended at most 10 s before, the last 20 of each actor; or all"
    >
      <option value={String(living)}>living</option>
      <option value={String(recent)}>recent</option>
      <option value={String(all)}>all</option>
    </select>
  );
}

const Empty = () => (
  <div class="empty">
    {!isLoaded.value
      ? "Reading …"
      : eventCount.value === 0
      ? "Nothing is recorded yet."
      : text.value
      ? "No actor fits the filter."
      : "No actor lives at this moment. Press → or drag in the time bar."}
  </div>
);

function Row({ row, depth, hasChildren, open }: TreeRow) {
  const state = stateText(row.value, 2) || (row.slot ? "working" : "");
  const shown = row.status === "active" ? state : row.health === "failing" ? healthText(row) : row.status;
  const what = row.machine ? `machine ${row.machine}` : `work in slot ${row.slot ?? "?"}`;
  return (
    <div
      class={`tree-row ${row.health}`}
      role="treeitem"
      id={`actor-${row.actor}`}
      aria-level={depth}
      aria-selected={selectedActor.value === row.actor}
      aria-expanded={hasChildren ? open : undefined}
      style={{ paddingLeft: `${4 + (depth - 1) * 12}px` }}
      title={`${row.name === undefined ? "" : `${row.name}\n`}${row.id} (${what}), ${healthText(row)}\n${
        stateText(row.value) || row.status
      }\n${row.heard} events received`}
      onClick={() => selectActor(row.actor)}
    >
      {hasChildren
        ? (
          <button
            type="button"
            class="fold"
            tabIndex={-1}
            aria-label={open ? "Fold" : "Unfold"}
            onClick={(event) => {
              event.stopPropagation();
              fold(row.actor, open);
            }}
          >
            {open ? "▾" : "▸"}
          </button>
        )
        : <span class="fold" />}
      <span class={`health ${row.health}`} role="img" aria-label={healthText(row)} />
      <span class="name cut">{row.name ?? row.slot ?? shortId(row.id)}</span>
      <span class="state cut">{shown}</span>
      {!open && row.children > 0 && <span class="heard">({row.children})</span>}
      <span class="heard">{groupedDigits(row.heard)}</span>
    </div>
  );
}

function fold(actor: string, closes: boolean): void {
  const next = new Set(folded.value);
  if (closes) next.add(actor);
  else next.delete(actor);
  folded.value = next;
}

/** Keys of a tree: up and down move, right opens, left closes or goes to the parent. */
function moveByKeys(event: KeyboardEvent): void {
  if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
  const index = selectedIndex.value;
  const at = rows.value[index];
  const to = (row: TreeRow | undefined) => row && selectActor(row.row.actor);
  const acts: Record<string, () => void> = {
    ArrowDown: () => to(rows.value[index + 1]),
    ArrowUp: () => to(rows.value[Math.max(0, index - 1)]),
    Home: () => to(rows.value[0]),
    End: () => to(rows.value.at(-1)),
    ArrowRight: () => {
      if (at?.hasChildren && !at.open) fold(at.row.actor, false);
      else if (at?.hasChildren) to(rows.value[index + 1]);
    },
    ArrowLeft: () => {
      if (at?.hasChildren && at.open) fold(at.row.actor, true);
      else if (at?.row.parent !== undefined) selectActor(at.row.parent);
    },
  };
  const act = acts[event.key];
  if (act === undefined) return;
  event.preventDefault();
  act();
}
