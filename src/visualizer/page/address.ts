/** State of the page that is kept in the hash of its address, so that reload, back and links restore it. */

export type Tab = "chart" | "sequence" | "events";
/** Actors whose events are listed: all, the selected one, or the selected one with its descendants. */
export type EventScope = "all" | "actor" | "descendants";

export interface PageFilter {
  scope: EventScope;
  type: string;
  text: string;
  /** Milliseconds. */
  since?: number;
  until?: number;
  internal: boolean;
}

export interface PageLocation {
  /** A source's id, or `machines` where there is no session; absent until one is chosen. */
  source?: string;
  /** Position; absent at the end, following what comes. */
  at?: number;
  actor?: string;
  /** Position of the selected event's row. */
  event?: number;
  /** The machine whose chart is shown, where no actor is selected. */
  machine?: string;
  tab: Tab;
  filter: PageFilter;
}

export const machinesSource = "machines";
export const noFilter: PageFilter = { scope: "all", type: "", text: "", internal: false };

const tabs: readonly Tab[] = ["chart", "sequence", "events"];
const scopes: readonly EventScope[] = ["all", "actor", "descendants"];

/** Reads a hash. Missing and invalid parts get their defaults, so that old links still open. */
export function readAddress(hash: string): PageLocation {
  const facts = new URLSearchParams(hash.replace(/^#/, ""));
  const text = (name: string) => facts.get(name) || undefined;
  const number = (name: string) => {
    const value = Number(facts.get(name) || NaN);
    return Number.isFinite(value) && value >= 0 ? value : undefined;
  };
  const filter = definedValues({
    scope: scopes.find((scope) => scope === facts.get("scope")) ?? "all",
    type: facts.get("type") ?? "",
    text: facts.get("text") ?? "",
    since: number("since"),
    until: number("until"),
    internal: facts.get("internal") === "1",
  });
  return definedValues({
    source: text("source"),
    at: number("at"),
    actor: text("actor"),
    event: number("event"),
    machine: text("machine"),
    tab: tabs.find((tab) => tab === facts.get("tab")) ?? "chart",
    filter,
  });
}

/** Only what differs from the default, always in the same order. */
export function writeAddress({ filter, tab, ...place }: PageLocation): string {
  const facts = new URLSearchParams();
  const put = (name: string, value: unknown) => {
    if (value !== undefined && value !== "" && value !== false) {
      facts.set(name, value === true ? "1" : String(value));
    }
  };
  for (const name of ["source", "at", "actor", "event", "machine"] as const) put(name, place[name]);
  if (tab !== "chart") put("tab", tab);
  if (filter.scope !== "all") put("scope", filter.scope);
  for (const name of ["type", "text", "since", "until", "internal"] as const) put(name, filter[name]);
  return `#${facts}`;
}

type Present<T> =
  & { [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key] }
  & { [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined> };

/** Without keys that have no value (the page shares no code with the rest of PTH). */
export const definedValues = <T extends object>(value: T): Present<T> =>
  Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as Present<T>;
