/**
 * The folder in which cues are given and answered, worked on from outside by a shell that stays open inside.
 *
 * `cue/<n>` ends stretch n; each living process (`live/<name>`) answers with `data/<name>-<n>.json`, and once more, unasked,
 * when it ends. Files, since they cost a millisecond, and touch neither the server's streams nor its signals. All of it is the
 * plugin's to write: what is no answer is left where it is, and what is too large is not taken.
 */
import { Buffer } from "node:buffer";
import { PthError } from "../../core/errors.ts";
import { InsideShell } from "../../runtimes/shared/inside_shell.ts";
import type { CoverageAnswer, CoverageSite, CoverageStep } from "./collector.ts";
import { placeFiles } from "./place_files.ts";
import { quoted } from "../../platform/process.ts";

const mebibyte = 1024 * 1024;
/** Limits in bytes: of one answer, of all to one cue, and of a whole run. */
const limits = { answer: 16 * mebibyte, cue: 64 * mebibyte, run: 256 * mebibyte };
const mostAnswers = 500;
const name = /^[\w.-]{1,100}$/;

/**
 * Functions of the shell, which starts no program but `head` for each answer, and `rm` at times: a start costs more than all
 * else. An answer that was read is emptied, and so not read again. Words of the protocol begin with the mark.
 */
const prelude = (folder: string, mark: string): string =>
  `cd -- ${quoted(folder)} || exit 1; spent=; ` +
  // Names that an agent gives.
  "plain() { case $1 in *[!A-Za-z0-9._-]*) return 1;; esac; }; " +
  // Cue $1; $2 is the cue before.
  `cue() { true >"cue/$1" && printf '\\n${mark} =\\n' && spent="$spent cue/$2"; }; ` +
  // Who lives and has not answered cue $1, but for names among $2.
  'waiting() { w=; for o in live/*; do o=${o#live/}; if plain "$o" && [ -e "live/$o" ] && ' +
  '[ ! -e "data/$o-$1.json" ]; then case $2 in *" $o "*) ;; *) w="$w $o";; esac; fi; done; }; ' +
  // Remembers which files of folder $1 end in $2.
  'gather() { list=; odd=0; n=0; for o in "$1"/*$2; do [ -e "$o" ] || [ -h "$o" ] || continue; ' +
  `if plain "\${o#"$1"/}" && [ -f "$o" ] && [ ! -h "$o" ] && [ $n -lt ${mostAnswers} ]; then ` +
  '[ -s "$o" ] && n=$((n+1)) && list="$list $o"; else odd=1; fi; done; }; ' +
  // Of each at most $1 bytes.
  `send() { for o in $list; do printf '\\n${mark} %s\\n' "\${o#*/}"; head -c "$1" "$o"; done; ` +
  `[ $odd -eq 0 ] || printf '\\n${mark} !\\n'; }; ` +
  // Processes that must answer; if there are none, all answers belong to the stretch that has ended.
  `look() { waiting "$1" "$2"; [ -n "$w" ] || gather data .json; printf '\\n${mark} ?%s\\n' "$w"; }; ` +
  `take() { send ${limits.answer + 1}; for o in $list; do true >"$o"; done; spent="$spent$list"; ` +
  "[ ${#spent} -lt 8000 ] || { rm -f $spent; spent=; }; }";

export interface AgentCoverage {
  /** Name of the process that answers. */
  process: string;
  answer: CoverageAnswer;
}

export class AnswerFolder {
  readonly #site: CoverageSite;
  readonly #shell: InsideShell;
  readonly #mark = crypto.randomUUID();
  readonly #note: (text: string) => void;
  #told = 0;

  /** @param note takes what could not be taken, and why */
  constructor(site: CoverageSite, note: (text: string) => void) {
    this.#site = site;
    this.#note = note;
    this.#shell = new InsideShell(site.spawn, prelude(site.folder, this.#mark));
  }

  /** Deletes and makes the folder. */
  async make(): Promise<void> {
    const { folder, exec } = this.#site;
    await exec(["sh", "-c", 'rm -rf -- "$1" && mkdir -p -m 777 -- "$1"', "sh", folder], { cwd: "/" });
    const folders = { "cue/": "", "live/": "", "data/": "", "problems/": "" };
    // Nothing of it is the plugin's.
    await placeFiles(this.#site, { ...folders, ".gitignore": "*\n" });
  }

  /** Ends a stretch. */
  async cue(number: number): Promise<void> {
    const told = await this.#shell.run(`cue ${number} ${number - 1}`, { timeoutMs: 3000 });
    if (told.length > 0) return;
    throw new PthError(
      "EXEC_FAILED",
      `Cannot signal the coverage agent: ${this.#site.folder}/cue of the environment is gone`,
    );
  }

  /**
   * Names of living processes that have not answered; where there is none, all that was answered is ready to be taken.
   * @param without names of processes that need not answer
   */
  async waiting(cue: number, without: ReadonlySet<string>): Promise<string[]> {
    const told = await this.#shell.run(`look ${cue} ${quoted(` ${[...without].join(" ")} `)}`);
    const [word] = this.#entries(told);
    return word?.name.slice(1).split(" ").filter(Boolean) ?? [];
  }

  /** Takes the answers that came after their cue was given up, each once. */
  async take(): Promise<AgentCoverage[]> {
    const told = await this.#shell.run("take", { maxBytes: limits.cue });
    this.#told += told.length;
    if (this.#told > limits.run) {
      throw new PthError(
        "EXEC_FAILED",
        `Cannot go on measuring: ${limits.run / mebibyte} MiB of coverage data received`,
      );
    }
    const answers: AgentCoverage[] = [];
    for (const { name, bytes } of this.#entries(told)) {
      const process = /^([^.].*)-(?:\d+|end)\.json$/.exec(name)?.[1];
      const answer = process === undefined ? undefined : this.#parsed(name, bytes);
      if (answer !== undefined) answers.push({ process: process!, answer });
    }
    return answers;
  }

  /** Resolves to the words of agents that failed. */
  async problems(): Promise<string[]> {
    const told = await this.#shell.run('gather problems ""; send 2000', { maxBytes: 2 * mebibyte });
    return [...this.#entries(told)].map(({ bytes }) => bytes.toString("utf8"));
  }

  step: CoverageStep = async (line, given) => (await this.#shell.run(line, given)).toString("utf8");

  close(): void {
    this.#shell.close();
  }

  *#entries(told: Buffer): Generator<{ name: string; bytes: Buffer }> {
    const mark = Buffer.from(`\n${this.#mark} `);
    for (let at = told.indexOf(mark); at !== -1;) {
      const end = told.indexOf("\n", at + mark.length);
      const next = end === -1 ? -1 : told.indexOf(mark, end);
      const word = told.subarray(at + mark.length, end === -1 ? told.length : end).toString("utf8");
      if (word === "!") {
        this.#note("what lies in the folder for answers and is none of an agent was not read");
      } else if (end !== -1 && (word.startsWith("?") || name.test(word))) {
        yield { name: word, bytes: told.subarray(end + 1, next === -1 ? told.length : next) };
      }
      at = next;
    }
  }

  #parsed(name: string, bytes: Buffer): CoverageAnswer | undefined {
    if (bytes.length > limits.answer) {
      this.#note(`an answer is larger than ${limits.answer / mebibyte} MiB and was not read: ${name}`);
      return undefined;
    }
    try {
      const answer: unknown = JSON.parse(bytes.toString("utf8"));
      if (typeof (answer as CoverageAnswer | null)?.kind === "string") return answer as CoverageAnswer;
      this.#note(`an answer is none of an agent and was not read: ${name}`);
    } catch {
      this.#note(`an answer is no JSON and was not read: ${name}`);
    }
    return undefined;
  }
}
