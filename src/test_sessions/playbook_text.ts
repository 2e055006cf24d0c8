/** Playbooks as tests write them. */
import type { PlaybookText, Turn } from "../../machines/model/playbook.ts";

/** A list of turns alone is a playbook of the main conversation. */
export const playbookText = (playbook: Turn[] | PlaybookText): PlaybookText =>
  Array.isArray(playbook) ? { turns: playbook } : playbook;
