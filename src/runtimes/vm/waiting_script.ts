/**
 * Text of an agent that waits in a golden image, at a port of the machine's own that no network leads to: a machine that
 * resumes there, or from a snapshot, needs no login and no start of Python, which take two seconds where it is emulated. The
 * port carries one connection at a time, and neither end hears reliably of the other's: a machine that was rolled back still
 * believes in the connection that it had then. So the host first sends a word that only holders of the guest's key know;
 * wherever the guest believes the stream to be, all before it is over. The rest is the agent's protocol.
 *
 * | to the guest, in addition                     | from the guest                                |
 * | --------------------------------------------- | --------------------------------------------- |
 * | the word                                      |                                               |
 * | `O` open: id of the agent that it becomes     | that id in the greeting, then `H`             |
 * |                                               | `L` lost: it has ended and forgotten all      |
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { assetText } from "../../platform/asset_text.ts";
import { agentText, greeting, pythonBytes } from "../shared/agent/agent_script.ts";

/** Name of the port of a waiting agent, on either side. */
export const portName = "org.plugin-test-harness.agent";

/** No kind of frame: an agent stops reading at it, even before it has the whole word. */
const noKind = Buffer.from([0xff]);

/** Makes the word for a waiting agent; it lies in no file that would be copied into a guest. */
export const wordOf = (privateKey: string): Buffer =>
  Buffer.concat([noKind, createHash("sha256").update(`agent of ${privateKey.trim()}`).digest()]);

/** First bytes of a waiting agent: an answer to an earlier connection is none to this one. */
export const greetingTo = (agentId: string): string => greeting.replace(/\0$/, ` ${agentId}\0`);

/** Makes the agent that waits at its port; the process that starts it exits with 0 once it does, else prints the reason. */
export const waitingScript = (word: Buffer): string =>
  `${agentText()}WORD = ${pythonBytes(word)}\nPORT = "${portName}"\n${assetText("guest/agent_port.py")}`;
