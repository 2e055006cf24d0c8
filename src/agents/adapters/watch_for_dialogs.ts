/** Dialogs for a person in an agent's output: without one they would wait for ever. */
import { stripVTControlCharacters } from "node:util";
import type { AgentDialog } from "../../../machines/model/agent_session.ts";

/** Characters at the end of the output that are looked at, and its lines: what is further up has been passed. */
const tailLength = 4096;
const tailLines = 12;
const longestWords = 160;

/** Words of dialogs of Claude Code, Codex, Gemini CLI, Qwen Code and opencode, and what programs usually ask. */
const dialogs: readonly (readonly [AgentDialog["kind"], RegExp])[] = [
  ["trust", /do you trust\b|\bone you trust\b|yes, I accept\b/i],
  [
    "login",
    /select login method|sign in with |finish signing in|how would you like to authenticate|visit the following url|enter the authorization code|authentication page in your browser|do you want to use this api key|^(log ?in|password|api key)[^.]{0,40}[:?]\s*$/i,
  ],
  [
    "permission",
    /do you want to (proceed|continue|allow|make|create|run)\b|would you like to run\b|allow (execution|command)\b|apply this change\?|\[y\/n\]|\(y\/n\)/i,
  ],
];

export interface DialogWatch {
  /** The dialog that stands at the end of the output with this piece; undefined: none. */
  see(piece: string): AgentDialog | undefined;
}

/** Watches one stream of output. Lines of JSON are none: what the model says stands in them. */
export function watchForDialogs(): DialogWatch {
  let tail = "";
  return {
    see(piece) {
      tail = (tail + piece).slice(-tailLength);
      const lines = stripVTControlCharacters(tail).split(/[\r\n]+/).map((line) => line.trim())
        .filter((line) => line !== "");
      const fromJson = lines.findLastIndex((line) => line.startsWith("{") || line.endsWith("}"));
      const shown = lines.slice(fromJson + 1).slice(-tailLines);
      for (const line of shown) {
        const found = dialogs.find(([, words]) => words.test(line));
        if (found !== undefined) return { kind: found[0], words: line.slice(0, longestWords) };
      }
      return undefined;
    },
  };
}
