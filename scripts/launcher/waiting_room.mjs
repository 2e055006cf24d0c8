/**
 * The server's place while it is installed: answers what it can, and keeps the rest.
 *
 * A call that asked for progress waits for the end of the installation and hears of it; any other is answered in bounded
 * time. What is kept, and what was answered here, is told to the server once it is there.
 */
import { createGreeter } from "./greeting.mjs";
import { standing } from "./installation.mjs";

const progressMs = 2500;
const patienceMs = 45_000;

/**
 * @param {object} parts
 * @param {(message: object) => void} parts.send
 * @param {() => void} parts.wanted called with each request that the server is needed for
 * @param {boolean} parts.plain see `createGreeter`
 * @param {number} [parts.patience] how long a request without progress waits, in milliseconds
 */
export function createWaitingRoom({ send, wanted, plain, patience = patienceMs }) {
  const answer = createGreeter(plain);
  /** Entries for the server, in order: lines, and requests that were answered here. @type {Entry[]} */
  let heard = [];
  /** Requests without an answer by their id. */
  const waiting = new Map();

  const leave = (entry) => {
    clearInterval(entry.reporting);
    clearTimeout(entry.limit);
    waiting.delete(entry.id);
    heard = heard.filter((other) => other !== entry);
  };

  const respond = (entry, text) => {
    leave(entry);
    send({ jsonrpc: "2.0", id: entry.id, ...refusal(entry, text) });
  };

  const wait = (entry, token) => {
    waiting.set(entry.id, entry);
    heard.push(entry);
    if (!isKey(token)) {
      entry.limit = setTimeout(() => respond(entry, stillInstalling()), patience);
      return;
    }
    let last = 0;
    const report = () => {
      const { share, text } = standing();
      // It has to grow, and stays below 1, where the server's own steps begin.
      last = share > last ? share : last + (1 - last) / 1000;
      const params = { progressToken: token, progress: last, message: `Installing PTH, once: ${text}` };
      send({ jsonrpc: "2.0", method: "notifications/progress", params });
    };
    report();
    entry.reporting = setInterval(report, progressMs);
  };

  return {
    /** @param {string} line @param {object} message the same, parsed */
    receive(line, message) {
      const { id, method, params } = message;
      // An answer to nothing that was asked, or what the server takes no notice of either.
      if (typeof method !== "string" || !(id === undefined || isKey(id))) return;
      if (method === "notifications/cancelled") {
        const cancelled = waiting.get(params?.requestId);
        return cancelled && leave(cancelled);
      }
      if (id === undefined) return void heard.push({ line });
      const answered = answer(message);
      if (answered !== undefined) {
        if (answered.result !== undefined && method !== "ping") heard.push({ line, answered: id });
        return send({ jsonrpc: "2.0", id, ...answered });
      }
      wait(
        { line, id, method, tool: isKey(params?.name) ? params.name : "the tool" },
        params?._meta?.progressToken,
      );
      wanted();
    },

    /** Answers all who wait. @param {Error} error */
    fail(error) {
      for (const entry of [...waiting.values()]) respond(entry, error.message);
    },

    /** Empties the room: lines for the server, and the ids of those that have their answer. */
    empty() {
      const lines = heard.map(({ line }) => line);
      const answered = heard.flatMap((entry) => "answered" in entry ? [entry.answered] : []);
      for (const entry of [...waiting.values()]) leave(entry);
      heard = [];
      return { lines, answered };
    },
  };
}

/** True for what identifies a request, or its progress. */
const isKey = (value) => typeof value === "string" || typeof value === "number";

/** A tool's failure is told to the model; any other request gets an error of the protocol. */
function refusal({ method, tool }, text) {
  if (method !== "tools/call") {
    return { error: { code: -32000, message: `Cannot answer ${method}: ${text}` } };
  }
  return { result: { isError: true, content: [{ type: "text", text: `Cannot run ${tool}: ${text}` }] } };
}

const stillInstalling = () =>
  `PTH is still being installed, which happens once: ${standing().text}\nNext:\n- Call it again in a minute`;
