/// <reference lib="dom" />
/** JSON that folds and can be searched. */
import { useMemo, useState } from "preact/hooks";
import { groupedDigits } from "../format.ts";
import { type JsonRow, jsonRows, maxJsonRows } from "./json_rows.ts";

const none: ReadonlySet<string> = new Set();

export function JsonTree({ value, label }: { value: unknown; label: string }) {
  const [search, setSearch] = useState("");
  const [turned, setTurned] = useState(none);
  const [whole, setWhole] = useState(none);
  const rows = useMemo(() => jsonRows(value, { turned, whole, search }), [value, turned, whole, search]);
  const flip = (path: string) => {
    const next = new Set(turned);
    if (!next.delete(path)) next.add(path);
    setTurned(next);
  };
  return (
    <>
      <div class="row">
        <input
          type="search"
          class="grow"
          placeholder={`Search in ${label.toLowerCase()}`}
          aria-label={`Search in ${label.toLowerCase()}`}
          value={search}
          onInput={(event) => setSearch((event.currentTarget as HTMLInputElement).value)}
        />
        <CopyButton value={value} />
      </div>
      <div class="json" role="tree" aria-label={label}>
        {rows.length === 0 && <span class="quiet">Nothing found.</span>}
        {rows.map((row) => (
          <Row
            key={row.kind === "more" ? `${row.path} more` : row.path}
            row={row}
            flip={() => flip(row.path)}
            showAll={() => setWhole(new Set([...whole, row.path]))}
          />
        ))}
        {rows.length >= maxJsonRows && (
          <span class="quiet">
            These are the first {groupedDigits(maxJsonRows)} rows; fold or search to see others.
          </span>
        )}
      </div>
    </>
  );
}

const toldMs = 2000;

/** Says whether it was copied: a browser may forbid it. */
function CopyButton({ value }: { value: unknown }) {
  const [told, setTold] = useState<string | undefined>(undefined);
  const copy = async () => {
    const text = JSON.stringify(value, null, 2);
    setTold(await navigator.clipboard.writeText(text).then(() => "Copied", () => "Not allowed"));
    setTimeout(() => setTold(undefined), toldMs);
  };
  return (
    <button type="button" title="Copy as JSON" onClick={copy} aria-live="polite">{told ?? "Copy"}</button>
  );
}

function Row({ row, flip, showAll }: { row: JsonRow; flip: () => void; showAll: () => void }) {
  const { depth, key, text, kind, folds, open, hit } = row;
  return (
    <div
      class={`json-row ${hit ? "hit" : ""}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-selected="false"
      aria-expanded={folds ? open : undefined}
      style={{ paddingLeft: `${depth * 12}px` }}
    >
      {folds
        ? (
          <button
            type="button"
            class="fold"
            aria-label={`${open ? "Fold" : "Unfold"} ${key ?? "all"}`}
            onClick={flip}
          >
            {open ? "▾" : "▸"}
          </button>
        )
        : <span class="fold" />}
      {key !== undefined && kind !== "more" && <span class="key" title={key}>{key}:</span>}
      {kind === "more"
        ? <button type="button" class="link" onClick={showAll}>{text} …</button>
        : <span class={kind}>{text}</span>}
    </div>
  );
}
