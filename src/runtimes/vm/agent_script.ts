/**
 * Text of the agent that runs in a guest, and its protocol. One Python process starts all commands, fed over one channel: a
 * channel of SSH for each command costs 100 to 150 ms where the guest is emulated, a fork of the agent about 20.
 *
 * Frames both ways: kind (1 byte), id of the command, length (4 bytes each, big endian), payload; lists are separated by NUL.
 *
 * | to the guest                                  | from the guest                                |
 * | --------------------------------------------- | --------------------------------------------- |
 * | `S` start: label, cwd, stdin, argc, argv, env | `H` hello: its version; `P` the pid           |
 * | `I` stdin, empty: its end                     | `W` number of bytes of stdin that were taken  |
 * | `A` number of bytes of a stream that were taken | `1`, `2` stdout and stderr, empty: their end |
 * | `K` signal: its number, pid, label            | `X` exit: code, or a signal's number negated  |
 * | `D` further output is not wanted              | `Q` it ended, its outputs are held but silent |
 * | `Z` end processes of others: prefix of their ids, own id | `R` done                           |
 * | `T` the time: seconds, with a fraction        | `R` "1" if the clock could be set             |
 *
 * Each stream may have `window` bytes in transit: one that is not read delays neither the others nor takes memory. When
 * the channel ends, the commands that still run are ended.
 *
 * An agent may also wait in a golden image, at a port of the machine's own that no network leads to: a machine that resumes
 * there, or from a snapshot, needs no login and no start of Python, which take two seconds where it is emulated. The port
 * carries one connection at a time, and neither end hears reliably of the other's: a machine that was rolled back still
 * believes in the connection that it had then. So the host first sends a word that only holders of the guest's key know;
 * wherever the guest believes the stream to be, all before it is over.
 *
 * | to the guest, in addition                     | from the guest                                |
 * | --------------------------------------------- | --------------------------------------------- |
 * | the word                                      |                                               |
 * | `O` open: id of the agent that it becomes     | that id in the greeting, then `H`             |
 * | `E` is it still that agent: its id            | `R` "1" if so                                 |
 * |                                               | `L` lost: it has ended and forgotten all      |
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { assetText } from "../../platform/asset_text.ts";

/** Bytes of a stream that may be in transit without being taken. */
export const window: number = 1024 * 1024;

/** Precedes the first frame: output that a login makes by itself is skipped. */
export const greeting = "\0PTH-AGENT-1\0";

/** Name of the port of a waiting agent, on either side. */
export const portName = "org.plugin-test-harness.agent";

/** No kind of frame: an agent stops reading at it, even before it has the whole word. */
const noKind = Buffer.from([0xff]);

/** Makes the word for a waiting agent; it lies in no file that would be copied into a guest. */
export const wordOf = (privateKey: string): Buffer =>
  Buffer.concat([noKind, createHash("sha256").update(`agent of ${privateKey.trim()}`).digest()]);

/** First bytes of a waiting agent: an answer to an earlier connection is none to this one. */
export const greetingTo = (agentId: string): string => greeting.replace(/\0$/, ` ${agentId}\0`);

const bytes = (data: Uint8Array): string => `bytes.fromhex("${Buffer.from(data).toString("hex")}")`;

const agentText = (): string =>
  `WINDOW = ${window}\nGREETING = ${bytes(Buffer.from(greeting))}\n${assetText("guest/agent.py")}`;

/** Makes the agent that serves the channel over which it was started. */
export const agentScript = (): string => agentText() + assetText("guest/agent_stdio.py");

/** Makes the agent that waits at its port; the process that starts it exits with 0 once it does, else prints the reason. */
export const waitingScript = (word: Buffer): string =>
  `${agentText()}WORD = ${bytes(word)}\nPORT = "${portName}"\n${assetText("guest/agent_port.py")}`;

/** Words, parted by NUL, which none of them can hold. */
export const joinNul = (words: readonly string[]): Buffer => Buffer.from(words.join("\0"));
