/** Playbooks of programs. */
import type { PlaybookText } from "../../../machines/model/playbook.ts";
import { checkPlaybook } from "./read_playbook.ts";

/** Gives a playbook its type, and checks it. @throws {PthError} `INVALID_PLAYBOOK` with every problem */
export function definePlaybook(playbook: PlaybookText): PlaybookText {
  checkPlaybook("playbook", playbook);
  return playbook;
}
