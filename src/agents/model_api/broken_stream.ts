/** Answers that a scripted error ends half-way. */
import { Readable } from "node:stream";
import type { ScriptedError } from "../../../machines/model/playbook.ts";

/**
 * Sends the first half of the parts and then breaks off (cut), says nothing more until the client leaves (stall), or sends
 * an event that is no JSON and ends (malformed). Of a single part it is half of its text.
 */
export function brokenStream(parts: readonly string[], kind: NonNullable<ScriptedError["stream"]>): Readable {
  const half = parts.length > 1
    ? parts.slice(0, Math.ceil(parts.length / 2)).join("")
    : (parts[0] ?? "").slice(0, Math.ceil((parts[0] ?? "").length / 2));
  let sent = false;
  return new Readable({
    read() {
      if (sent) {
        // An error here cuts the connection; a stalled stream is destroyed when the client or the server goes.
        if (kind === "cut") this.destroy(new Error("scripted end of the answer"));
        return;
      }
      sent = true;
      this.push(kind === "malformed" ? `${half}${noJson}` : half);
      if (kind === "malformed") this.push(null);
    },
  });
}

const noJson = 'event: content_block_delta\ndata: {"type": "content_block_delta", \n\n';
