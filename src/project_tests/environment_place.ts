/**
 * A project inside an environment. What is started carries a mark in its environment, by which what leaves its parent is found;
 * no path of the inside is opened on the host.
 */
import { posix } from "node:path";
import type { EnvironmentHandle } from "../../machines/model/environment.ts";
import { PthError } from "../core/errors.ts";
import type { Redactor } from "../core/redact.ts";
import { shellWord } from "../core/shell_word.ts";
import { withDeadline } from "../core/waiting.ts";
import { assetText } from "../platform/asset_text.ts";
import { type EnvironmentAccess, insideFolder } from "../plugin/environment_access.ts";
import { commandWithPath } from "../plugin/with_path.ts";
import type { EnvironmentProcess, EnvironmentRuntime, ExecOptions } from "../runtimes/runtime.ts";
import { InsideShell } from "../runtimes/shared/inside_shell.ts";
import type { PlaceOptions, ProjectPlace } from "./project_place.ts";

export interface EnvironmentPlaceOptions {
  /** Folder of the project inside. */
  root: string;
  /** Folders that stand first on the PATH of commands. */
  path: readonly string[];
  redact: Redactor;
}

/** Limit of a step of PTH's own, in ms. */
const stepMs = 20_000;
/** Bytes of the longest answer about files of the project. */
const longestAnswer = 8 * 1024 * 1024;

export function environmentPlace(
  runtime: EnvironmentRuntime,
  handle: EnvironmentHandle,
  { root, path, redact }: EnvironmentPlaceOptions,
): ProjectPlace {
  const mark = `PTH_TESTS_${crypto.randomUUID().replaceAll("-", "_")}`;
  const made: string[] = [];
  /** Commands and readers that have not ended. */
  const running = new Set<EnvironmentProcess>();
  const readers = new Set<EnvironmentProcess>();
  const kind = `${runtime.name}, image ${handle.image}`;
  // A command inside costs more than most of what a framework asks of the files.
  const shell = new InsideShell((command) => runtime.spawn(handle, command, { cwd: "/" }), shellPrelude);
  const placed = ({ cwd = ".", env = {} }: PlaceOptions) => ({
    cwd: posix.resolve(root, cwd),
    env: { ...env, [mark]: "1" },
  });
  const own = async (action: string, words: readonly string[], options: Pick<ExecOptions, "stdin"> = {}) => {
    const signal = AbortSignal.timeout(stepMs);
    const failed = (state: string, more: { output?: string } = {}) =>
      new PthError("EXEC_FAILED", `Cannot ${action} in the environment: ${state}`, more);
    const { code, stdout, stderr } = await runtime.exec(handle, words, { ...options, cwd: "/", signal })
      .catch(
        (cause) => {
          throw signal.aborted ? failed(`it took more than ${stepMs / 1000} s`) : cause;
        },
      );
    if (code === 0) return stdout;
    throw failed(`exited with ${code}`, { output: stderr });
  };
  const spawn = async (
    words: readonly string[],
    options: Pick<ExecOptions, "cwd" | "env">,
    among: Set<EnvironmentProcess>,
  ) => {
    const child = await runtime.spawn(handle, words, options);
    among.add(child);
    void child.exited.then(() => among.delete(child));
    child.stdin.end();
    return child;
  };
  const endAll = async () => {
    const groups = [...running].flatMap(({ pid }) => pid === undefined ? [] : [String(pid)]);
    const script = assetText("project_tests/end_marked.sh");
    await own("end what the tests started", ["sh", "-c", script, "sh", `${mark}=1`, ...groups]);
  };
  return {
    root,
    folder: insideFolder(accessByShell(shell), root),
    kind,
    isCopy: true,
    install: (program) =>
      runtime.abilities.isolated
        ? {
          terminal: `Name an image that has ${program}: --image <image>`,
          mcp: `Use an image that has ${program}: pth_reprovision_environment({ baseImage: … })`,
        }
        : `Install ${program}, so that it is on the PATH`,
    async makeScratch() {
      const parent = posix.dirname(handle.sourcePath);
      const folder = (await own("make a folder", ["sh", "-c", scratchScript, "sh", parent])).trim();
      made.push(folder);
      return folder;
    },
    async write(file, text) {
      const script = 'mkdir -p -- "${1%/*}" && cat >"$1"';
      await own(`write ${file}`, ["sh", "-c", script, "sh", file], { stdin: text });
    },
    exec: (command, { cwd, env, ...options } = {}) =>
      runtime.exec(handle, commandWithPath(command, path), {
        ...options,
        ...placed({ ...(cwd && { cwd }), ...(env && { env }) }),
      }),
    async start(command, options = {}) {
      const child = await spawn(commandWithPath(command, path), placed(options), running);
      const { pid, stdout, stderr, exited } = child;
      if (pid !== undefined) return { pid, stdout, stderr, exited };
      throw new PthError("EXEC_FAILED", `Cannot start ${command[0]}: it has no process inside (${kind})`, {
        tried: [command.join(" ")],
      });
    },
    follow: (file, from, onBytes) =>
      followInside((words) => spawn(words, { cwd: "/" }, readers), file, from, onBytes),
    endAll,
    async close() {
      shell.close();
      await Promise.all([...readers].map((reader) => reader.kill("SIGKILL")));
      await endAll();
      if (made.length > 0) await own("remove what was made", ["rm", "-rf", "--", ...made.splice(0)]);
    },
    redact,
  };
}

/** Makes a folder next to the source or, where that is not allowed, among the temporary ones. */
const scratchScript = `umask 077
mktemp -d -- "$1/pth-tests-XXXXXX" 2>/dev/null || mktemp -d`;

/** A line cannot hold a newline itself. */
const shellPrelude = "newline=$(printf '\\nx'); newline=${newline%x}";
const wordInLine = (word: string): string => shellWord(word).replaceAll("\n", `'"$newline"'`);

/** Short commands by a shell that stays open. */
const accessByShell = (shell: InsideShell): Pick<EnvironmentAccess, "exec"> => ({
  async exec(command, { cwd = "/" } = {}) {
    const began = performance.now();
    const line = `(cd -- ${wordInLine(cwd)} && ${command.map(wordInLine).join(" ")}); printf '\\n%s' $?`;
    const said = (await shell.run(line, { maxBytes: longestAnswer, timeoutMs: stepMs })).toString();
    const end = said.lastIndexOf("\n");
    return {
      code: Number(said.slice(end + 1)),
      signal: null,
      stdout: said.slice(0, end),
      stderr: "",
      truncated: false,
      durationMs: performance.now() - began,
    };
  },
});

/** Prints what a file has from byte $2 on, as far as it reaches now: nothing that still runs may keep it going for ever. */
const restScript = `[ -f "$1" ] || exit 0
size=$(wc -c <"$1") && [ "$size" -ge "$2" ] || exit 0
tail -c "+$2" -- "$1" | head -c "$((size - $2 + 1))"`;

/** Hands over a file as it grows, and at the end what had not come by then. */
async function followInside(
  spawn: (words: readonly string[]) => Promise<EnvironmentProcess>,
  file: string,
  from: number,
  onBytes: (bytes: Uint8Array) => void,
): Promise<{ finish(): Promise<void> }> {
  let at = from;
  const read = async (words: readonly string[]) => {
    const child = await spawn(words);
    child.stderr.resume();
    child.stdout.on("data", (bytes: Uint8Array) => {
      at += bytes.byteLength;
      onBytes(bytes);
    });
    return child;
  };
  const tail = await read(["tail", "-c", `+${from + 1}`, "-f", "--", file]);
  let finished: Promise<void> | undefined;
  const finish = async () => {
    await tail.kill("SIGKILL");
    await tail.exited;
    const rest = await read(["sh", "-c", restScript, "sh", file, String(at + 1)]);
    if (await withDeadline(rest.exited, stepMs)) return;
    await rest.kill("SIGKILL");
    throw new PthError("EXEC_FAILED", "Cannot read what the tests reported: it does not come to an end");
  };
  return { finish: () => finished ??= finish() };
}
