/** Answers that a scripted error ends half-way. */
import { Readable } from "node:stream";
import type { ScriptedError } from "../../../machines/model/playbook.ts";

/** Time in which the first half leaves: what is still on its way when the connection is cut is lost. */
const flushMs = 50;

/**
 * Sends the first half of the parts and then breaks off (cut), says nothing more until the client leaves (stall), or sends
 * the next one without its end, so that it is no JSON, and ends (malformed). Of a single part it is half of its text.
 */
export function brokenStream(parts: readonly string[], kind: NonNullable<ScriptedError["stream"]>): Readable {
  const [first = ""] = parts;
  const middle = Math.ceil(parts.length / 2);
  const half = parts.length > 1
    ? parts.slice(0, middle).join("")
    : first.slice(0, Math.ceil(first.length / 2));
  const next = parts.length > 1 ? `${parts[middle]!.trimEnd().slice(0, -2)}\n\n` : "";
  let sent = false;
  return new Readable({
    read() {
      if (sent) {
        // An error here cuts the connection; a stalled stream is destroyed when the client or the server goes.
        if (kind === "cut") setTimeout(() => this.destroy(new Error("scripted end of the answer")), flushMs);
        return;
      }
      sent = true;
      this.push(kind === "malformed" ? `${half}${next}` : half);
      if (kind === "malformed") this.push(null);
    },
  });
}
