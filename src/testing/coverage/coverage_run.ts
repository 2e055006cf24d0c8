/**
 * Measures a server's processes from their start on, stretch by stretch.
 *
 * Host and environment share a folder. `cue/<n>` ends stretch n; each living process (`live/<name>`) answers with
 * `data/<name>-<n>.json`, and once more, unasked, when it ends. Files, since they reach every runtime that shares the
 * source, cost a millisecond, and touch neither the server's streams nor its signals.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { PluginPlan } from "../../../machines/model/plugin.ts";
import { messageOf } from "../../errors.ts";
import {
  chmod,
  entriesOf,
  isNotFound,
  mkdir,
  readTextFile,
  remove,
  removeIfExists,
  rename,
  writeTextFile,
} from "../../platform/files.ts";
import {
  type Collecting,
  type Collector,
  type CoverageAnswer,
  type CoverageSite,
  type Measured,
} from "./collector.ts";

/** Label of what runs while a server starts. */
export const startup = "\0startup";

/** How long a process has to answer a cue; one that is busy for longer is not waited for again until it answers. */
const answerMs = 3000;
const lookEveryMs = 2;

interface Active {
  name: string;
  collecting: Collecting;
}

export class CoverageRun {
  readonly #site: CoverageSite;
  readonly #active: Active[] = [];
  readonly #notes: string[];
  readonly #labels = new Map<number, string | undefined>();
  readonly #silent = new Set<string>();
  /** Processes that have answered before. */
  readonly #known = new Set<string>();
  #turn: Promise<void> = Promise.resolve();
  #cue = 0;
  #wasRead = false;

  private constructor(site: CoverageSite, notes: string[]) {
    this.#site = site;
    this.#notes = notes;
  }

  /** Starts the collectors that suit the plugin; what cannot be measured is a note. */
  static async start(
    site: CoverageSite,
    plan: PluginPlan,
    collectors: readonly Collector[],
  ): Promise<CoverageRun> {
    const { host } = site.folder;
    await removeIfExists(host);
    for (const name of ["cue", "live", "data", "problems"]) {
      await mkdir(join(host, name), { recursive: true });
      // The server may run as another user.
      await chmod(join(host, name), 0o777);
    }
    await chmod(host, 0o777);
    // Nothing of it is the plugin's.
    await writeTextFile(join(host, ".gitignore"), "*\n");
    const run = new CoverageRun(site, []);
    for (const collector of collectors.filter((one) => one.applies(plan))) {
      try {
        run.#active.push({ name: collector.name, collecting: await collector.start(site, plan) });
      } catch (error) {
        run.#notes.push(`${collector.name}: ${messageOf(error)}`);
      }
    }
    return run;
  }

  /** Names of what measures; none where nothing can. */
  get collectors(): string[] {
    return this.#active.map(({ name }) => name);
  }

  get notes(): readonly string[] {
    return this.#notes;
  }

  /** Whether a report was made of it. */
  get wasRead(): boolean {
    return this.#wasRead;
  }

  serverVariables(own: Record<string, string>): Record<string, string> {
    const all = this.#active.map(({ collecting }) => collecting.serverVariables(own));
    return Object.assign({ PTH_COVERAGE: this.#site.folder.inside }, ...all);
  }

  get buildVariables(): Record<string, string> {
    return Object.assign({}, ...this.#active.map(({ collecting }) => collecting.buildVariables));
  }

  async built(plan: PluginPlan): Promise<void> {
    for (const { collecting } of this.#active) this.#notes.push(...await collecting.built?.(plan) ?? []);
  }

  /** Ends a stretch: what ran since the last one is of `label`; of no test without one. */
  mark(label?: string): Promise<void> {
    const turn = this.#turn.then(() => this.#mark(label));
    // One that fails is its caller's affair, and not the next one's.
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #mark(label: string | undefined): Promise<void> {
    const { host } = this.#site.folder;
    const cue = ++this.#cue;
    this.#labels.set(cue, label);
    await writeTextFile(join(host, "cue", String(cue)), "");
    if (cue > 1) await removeIfExists(join(host, "cue", String(cue - 1)));
    await this.#answers(cue);
    for (const { process, answer } of await this.#collect()) {
      const { collecting } = this.#active.find(({ name }) => name === answer.kind) ?? {};
      // While one server starts, another one still does what its last test was about, or ends: that is no start.
      const belongs = label === startup && (this.#known.has(process) || answer.ending) ? undefined : label;
      this.#known.add(process);
      collecting?.take(answer, cue, belongs);
    }
    for (const { collecting } of this.#active) await collecting.ended?.(cue);
  }

  /** All that was measured since the server was started. */
  async read(): Promise<Measured> {
    await this.mark();
    this.#wasRead = true;
    const all: Measured[] = [];
    for (const { collecting } of this.#active) all.push(await collecting.read(this.#labels));
    const problems = await Promise.all(
      (await entriesOf(join(this.#site.folder.host, "problems"))).map(({ name }) =>
        readTextFile(join(this.#site.folder.host, "problems", name))
      ),
    );
    const reach: Measured["reach"] = new Map();
    for (const one of all) {
      for (const [id, reaches] of one.reach) reach.set(id, [...reach.get(id) ?? [], ...reaches]);
    }
    return {
      files: all.flatMap(({ files }) => files),
      reach,
      notes: [...new Set([...this.#notes, ...all.flatMap(({ notes }) => notes), ...problems.map(firstLine)])],
    };
  }

  /** A server may still run that was measured: what it writes from now on goes nowhere. */
  async close(): Promise<void> {
    const { host } = this.#site.folder;
    const closed = `${host}-closed`;
    try {
      await rename(host, closed);
    } catch (error) {
      if (isNotFound(error)) return;
      throw error;
    }
    await removeIfExists(closed);
  }

  /** Waits for those that live; a process that ends meanwhile is not waited for. */
  async #answers(cue: number): Promise<void> {
    const { host } = this.#site.folder;
    const until = performance.now() + answerMs;
    while (true) {
      const living = (await entriesOf(join(host, "live"))).map(({ name }) => name);
      const said = new Set((await entriesOf(join(host, "data"))).map(({ name }) => name));
      const waiting = living.filter((name) => !said.has(`${name}-${cue}.json`));
      for (const name of living) if (!waiting.includes(name)) this.#silent.delete(name);
      if (waiting.every((name) => this.#silent.has(name))) return;
      if (performance.now() > until) {
        for (const name of waiting) this.#silent.add(name);
        return;
      }
      await sleep(lookEveryMs);
    }
  }

  async #collect(): Promise<{ process: string; answer: CoverageAnswer }[]> {
    const folder = join(this.#site.folder.host, "data");
    const answers: { process: string; answer: CoverageAnswer }[] = [];
    for (const { name } of await entriesOf(folder)) {
      const process = /^([^.].*)-(?:\d+|end)\.json$/.exec(name)?.[1];
      if (process === undefined) continue;
      answers.push({ process, answer: JSON.parse(await readTextFile(join(folder, name))) });
      await remove(join(folder, name));
    }
    return answers;
  }
}

const firstLine = (text: string): string => `An agent failed: ${text.split("\n", 1)[0]}`;
