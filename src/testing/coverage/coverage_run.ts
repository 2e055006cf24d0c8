/**
 * Measures a server's processes from their start on, stretch by stretch. All of it happens inside the environment
 * (`AnswerFolder`); what comes out of there may be the plugin's own invention, and must not cost more than the report.
 */
import { posix } from "node:path";
import { firstLine } from "../../core/text.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { PluginPlan } from "../../../machines/model/plugin.ts";
import { errorMessage } from "../../core/errors.ts";
import { type AgentCoverage, AnswerFolder } from "./answer_folder.ts";
import { type Collecting, type Collector, type CoverageSite, type Measured } from "./collector.ts";

/** Label of what runs while a server starts. */
export const startup = "\0startup";

/**
 * Milliseconds in which a process must answer a cue; one that is busy for longer is not waited for again until it
 * answers.
 */
const answerMs = 3000;
const lookEveryMs = 2;
/** Milliseconds that waiting for missing answers takes in all, however many processes claim to be alive. */
const silenceMs = 60_000;
/** More living processes than that are not waited for. */
const mostSilent = 1000;
const mostNotes = 50;
const mostProblems = 20;
/** Remembered as having answered before. */
const mostProcesses = 10_000;

interface Active {
  name: string;
  collecting: Collecting;
}

export class CoverageRun {
  readonly #site: CoverageSite;
  readonly #folder: AnswerFolder;
  readonly #active: Active[] = [];
  readonly #notes = new Set<string>();
  readonly #labels = new Map<number, string | undefined>();
  readonly #silent = new Set<string>();
  /** Processes that have answered before. */
  readonly #known = new Set<string>();
  #turn: Promise<void> = Promise.resolve();
  #taking: Promise<void> = Promise.resolve();
  #cue = 0;
  #silenceMs = 0;
  #wasRead = false;
  /** True once nothing more is measured; a note says why. */
  #stopped = false;

  private constructor(site: CoverageSite) {
    this.#site = site;
    this.#folder = new AnswerFolder(site, (text) => this.#note(text));
  }

  /** Starts the collectors that suit the plugin; what cannot be measured is a note. */
  static async start(
    site: CoverageSite,
    plan: PluginPlan,
    collectors: readonly Collector[],
  ): Promise<CoverageRun> {
    const run = new CoverageRun(site);
    await run.#folder.make();
    for (const collector of collectors.filter((one) => one.applies(plan))) {
      try {
        run.#active.push({ name: collector.name, collecting: await collector.start(site, plan) });
      } catch (error) {
        run.#note(`${collector.name}: ${errorMessage(error)}`);
      }
    }
    return run;
  }

  #note(text: string): void {
    if (this.#notes.size < mostNotes) this.#notes.add(text);
  }

  /** Names of what measures; none where nothing can. */
  get collectors(): string[] {
    return this.#active.map(({ name }) => name);
  }

  get notes(): readonly string[] {
    return [...this.#notes];
  }

  /** Whether a report was made of it. */
  get wasRead(): boolean {
    return this.#wasRead;
  }

  serverVariables(own: Record<string, string>): Record<string, string> {
    const all = this.#active.map(({ collecting }) => collecting.serverVariables(own));
    return Object.assign({ PTH_COVERAGE: this.#site.folder }, ...all);
  }

  get buildVariables(): Record<string, string> {
    return Object.assign({}, ...this.#active.map(({ collecting }) => collecting.buildVariables));
  }

  async built(plan: PluginPlan): Promise<void> {
    for (const { collecting } of this.#active) {
      for (const note of await collecting.built?.(plan) ?? []) this.#note(note);
    }
  }

  /**
   * Ends a stretch: what ran since the last one is of `label`; of no test without one. Never rejects: what cannot be measured
   * any more is a note.
   */
  mark(label?: string): Promise<void> {
    return this.#turn = this.#turn.then(() => this.#mark(label));
  }

  async #mark(label: string | undefined): Promise<void> {
    await this.#taking;
    if (this.#stopped) return;
    const cue = ++this.#cue;
    this.#labels.set(cue, label);
    try {
      // The shell takes one after the other: its word that the cue is given need not be waited for.
      await Promise.all([this.#folder.cue(cue), this.#answered(cue)]);
      this.#taking = this.#takeAll(cue, label);
      for (const { collecting } of this.#active) await collecting.ended?.(cue, this.#folder.step);
    } catch (error) {
      this.#stop(error);
    }
  }

  /** Collects answers while the next test runs. */
  async #takeAll(cue: number, label: string | undefined): Promise<void> {
    try {
      for (const one of await this.#folder.take()) this.#take(one, cue, label);
    } catch (error) {
      this.#stop(error);
    }
  }

  #stop(why: unknown): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#folder.close();
    this.#note(`not all was measured: ${errorMessage(why)}`);
  }

  #take({ process, answer }: AgentCoverage, cue: number, label: string | undefined): void {
    const active = this.#active.find(({ name }) => name === answer.kind);
    if (active === undefined) return;
    // While one server starts, another one still does what its last test was about, or ends: that is no start.
    const belongs = label === startup && (this.#known.has(process) || answer.ending) ? undefined : label;
    if (this.#known.size < mostProcesses) this.#known.add(process);
    try {
      active.collecting.take(answer, cue, belongs);
    } catch (error) {
      this.#note(`${active.name}: an answer is none of its agent: ${errorMessage(error)}`);
    }
  }

  /** All that was measured since the server was started. */
  async read(): Promise<Measured> {
    await this.mark();
    await this.#taking;
    this.#wasRead = true;
    const all: Measured[] = [];
    for (const { name, collecting } of this.#active) {
      try {
        all.push(await collecting.read(this.#labels));
      } catch (error) {
        this.#note(`${name}: what was measured cannot be read: ${errorMessage(error)}`);
      }
    }
    const problems = this.#stopped ? [] : await this.#problems();
    const reach: Measured["reach"] = new Map();
    for (const one of all) {
      for (const [id, reaches] of one.reach) {
        reach.set(id, [...reach.get(id) ?? [], ...reaches.filter(({ path }) => liesWithin(path))]);
      }
    }
    return {
      files: all.flatMap(({ files }) => files).filter(({ path }) => liesWithin(path)),
      reach,
      notes: [...new Set([...this.#notes, ...all.flatMap(({ notes }) => notes), ...problems])],
    };
  }

  async #problems(): Promise<string[]> {
    try {
      return (await this.#folder.problems()).slice(0, mostProblems).map(agentFailure);
    } catch (error) {
      return [`it is unknown whether agents failed: ${errorMessage(error)}`];
    }
  }

  /** A server may still run that was measured: what it writes from now on goes nowhere. */
  async close(): Promise<void> {
    this.#stopped = true;
    this.#folder.close();
    const { exec, folder } = this.#site;
    try {
      await exec(["sh", "-c", 'mv -- "$1" "$1-closed" && rm -rf -- "$1-closed"', "sh", folder], {
        cwd: "/",
        timeoutMs: 10_000,
      });
    } catch {
      // The environment may be gone, and the folder with it; one that stays is the environment's, and ends with it.
    }
  }

  /** Waits for those that live; a process that ends meanwhile is not waited for. */
  async #answered(cue: number): Promise<void> {
    const began = performance.now();
    const until = began + Math.min(answerMs, silenceMs - this.#silenceMs);
    // Who was silent is asked whether it is so still.
    const silent = new Set(this.#silent);
    this.#silent.clear();
    let without: ReadonlySet<string> = new Set();
    while (true) {
      await sleep(lookEveryMs);
      const waiting = await this.#folder.waiting(cue, without);
      if (waiting.length === 0) return;
      const late = performance.now() > until;
      if (!late && !waiting.every((name) => silent.has(name))) continue;
      for (const name of waiting.slice(0, mostSilent)) this.#silent.add(name);
      if (late) this.#silenceMs += performance.now() - began;
      if (waiting.length > mostSilent || without.size > 0 && late) return;
      without = this.#silent;
    }
  }
}

const agentFailure = (text: string): string => `An agent failed: ${firstLine(text, 300)}`;

/** Checks that a path lies within the plugin's folder, as other tools may open it. */
const liesWithin = (path: string): boolean =>
  path !== "" && !posix.isAbsolute(path) && posix.normalize(path) === path && !/^\.\.(?:\/|$)/.test(path);
