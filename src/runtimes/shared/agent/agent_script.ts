/**
 * Text of the agent that runs in an environment, and its protocol. One Python process starts all commands, fed over one
 * channel. A channel of SSH for each costs 100 to 150 ms where a guest is emulated, a fork of the agent 20; in a container an
 * engine's exec costs 45, the fork 1.
 *
 * Frames both ways: kind (1 byte), id of the command, length (4 bytes each, big endian), payload; lists are separated by NUL.
 *
 * | to the agent                                  | from the agent                                |
 * | --------------------------------------------- | --------------------------------------------- |
 * | `S` start: label, cwd, stdin, argc, argv, env | `H` hello: its version, pid; `P` the pid      |
 * | `I` stdin, empty: its end                     | `W` number of bytes of stdin that were taken  |
 * | `A` number of bytes of a stream that were taken | `1`, `2` stdout and stderr, empty: their end |
 * | `K` signal: its number, pid, label            | `X` exit: code, or a signal's number negated  |
 * | `D` further output is not wanted              | `Q` it ended, its outputs are held but silent |
 * | `Z` end processes of others: prefix of their ids, own id | `R` done                           |
 * | `T` the time: seconds, with a fraction        | `R` "1" if the clock could be set             |
 * | `E` is it still that agent: its id            | `R` "1" if so                                 |
 * |                                               | `N` not begun: the host has another way       |
 *
 * Each stream may have `window` bytes in transit: one that is not read delays neither the others nor takes memory. When
 * the channel ends, the commands that still run are ended.
 */
import { Buffer } from "node:buffer";
import { assetText } from "../../../platform/asset_text.ts";

/** Bytes of a stream that may be in transit without being taken. */
export const window: number = 1024 * 1024;

/** Precedes the first frame: output that a login makes by itself is skipped. */
export const greeting = "\0PTH-AGENT-1\0";

/** Bytes as Python writes them. */
export const pythonBytes = (data: Uint8Array): string =>
  `bytes.fromhex("${Buffer.from(data).toString("hex")}")`;

/** Makes the part that all agents share. */
export const agentText = (): string =>
  `WINDOW = ${window}\nGREETING = ${pythonBytes(Buffer.from(greeting))}\n${assetText("guest/agent.py")}`;

/** Makes the agent that serves the channel over which it was started. */
export const agentScript = (): string => agentText() + assetText("guest/agent_stdio.py");

/**
 * Makes the same for an environment in which a plugin may be root, as the agent is.
 * @param oomScore What commands get in their `oom_score_adj`, so that the agent is not the first victim; 0 for the agent's own
 */
export const guardedAgentScript = (oomScore: number): string =>
  `${agentText()}OOM_SCORE = ${oomScore}\n${assetText("guest/agent_guard.py")}${
    assetText("guest/agent_stdio.py")
  }`;

/** Python that reads the text of the agent from stdin: nothing is written to a disk, and lists of processes stay short. */
export const agentLoader = ({ length }: Buffer): string =>
  `import os\nb=b""\nwhile len(b)<${length}:\n d=os.read(0,${length}-len(b))\n if not d: os._exit(0)\n b+=d\nexec(b)`;

/** Words, parted by NUL, which none of them can hold. */
export const joinNul = (words: readonly string[]): Buffer => Buffer.from(words.join("\0"));
