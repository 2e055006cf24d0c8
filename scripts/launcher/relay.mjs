/**
 * Puts the installed server into the launcher's place, in the same process: stdin, stdout and signals are its own from then
 * on. It reads what was said before, and its answers to what was answered already go nowhere.
 */
import { Buffer } from "node:buffer";
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

/**
 * @param {string} entry of the server
 * @param {{ lines: string[], answered: (string | number)[], rest: Buffer }} heard `rest` is the beginning of a line
 */
export async function giveWay(entry, { lines, answered, rest }) {
  const said = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  dropAnswers(new Set(answered));
  const { stdin } = process;
  stdin.unshift(Buffer.concat([said, rest]));
  // A stream that was paused stays so when somebody listens.
  stdin.on("newListener", function begin(event) {
    if (event !== "data") return;
    stdin.off("newListener", begin);
    process.nextTick(() => stdin.resume());
  });
  await start(entry);
}

/** Runs the server, until the process ends. One that cannot be loaded is removed: the next start installs it anew. */
export async function start(entry) {
  try {
    await import(pathToFileURL(entry).href);
  } catch (error) {
    rmSync(dirname(entry), { recursive: true, force: true });
    console.error(`Cannot start PTH: what was installed does not load; start again, it is installed anew`);
    console.error(error);
    process.exit(3);
  }
}

/** The server writes a message at a time. */
function dropAnswers(ids) {
  if (ids.size === 0) return;
  const { stdout } = process;
  const write = stdout.write;
  stdout.write = (text, ...more) => {
    const message = JSON.parse(text);
    if (message.method !== undefined || !ids.delete(message.id)) return write.call(stdout, text, ...more);
    if (ids.size === 0) stdout.write = write;
    more.at(-1)?.();
    return true;
  };
}
