/** Answers on stdin and stdout in the server's place until it is installed, and gives way to it then. */
import process from "node:process";
import { installed } from "./installation.mjs";
import { createLineReader } from "./line_reader.mjs";
import { giveWay } from "./relay.mjs";
import { createWaitingRoom } from "./waiting_room.mjs";

export function standIn() {
  const { stdin, stdout } = process;
  const room = createWaitingRoom({
    send: (message) => stdout.write(`${JSON.stringify(message)}\n`),
    wanted: install,
    plain: process.argv.length === 2,
  });
  const reader = createLineReader((line) => {
    const message = parse(line);
    if (message !== undefined) room.receive(line, message);
  });
  stdin.on("data", reader.push);
  // The client is gone; the installation goes on, for the next one.
  for (const event of ["end", "close", "error"]) stdin.on(event, leave);
  stdout.on("error", leave);
  install();

  function install() {
    installed().then(replace, room.fail);
  }

  let replaced = false;
  async function replace(server) {
    if (replaced) return;
    replaced = true;
    stdin.off("data", reader.push).pause();
    for (const event of ["end", "close", "error"]) stdin.off(event, leave);
    stdout.off("error", leave);
    await giveWay(server, { ...room.empty(), rest: reader.rest() });
  }
}

function leave() {
  process.exit(0);
}

/** Returns the message; tells on stderr what is none, as the server does. */
function parse(line) {
  try {
    const value = JSON.parse(line);
    if (value?.jsonrpc === "2.0") return value;
    console.error(`Cannot read message: no JSON-RPC 2.0: ${line.slice(0, 200)}`);
  } catch (error) {
    console.error(`Cannot read message: ${error.message}: ${line.slice(0, 200)}`);
  }
  return undefined;
}
