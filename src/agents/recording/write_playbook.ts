/** A recorded playbook as YAML that people read and edit. */
import { parseDocument, stringify } from "yaml";
import type { PlaybookText, RecordedRequests } from "../../../machines/model/playbook.ts";
import { PthError } from "../../core/errors.ts";
import { maxLength } from "../../core/read_source.ts";
import { checkPlaybook } from "../playbook/read_playbook.ts";

const heading =
  `# Recorded from a session on a real model. Turns may be edited; \`recorded\` at the end is what their requests were like.
`;

const style = { lineWidth: 0, aliasDuplicateObjects: false };

/** @throws {PthError} `INVALID_PLAYBOOK` for one that could not be read again */
export function writePlaybook(playbook: PlaybookText): string {
  checkPlaybook("the recording", playbook);
  return bounded(`${heading}${stringify(playbook, style)}`);
}

/** Replaces the recorded requests in a playbook's text; all else stays as people wrote it. */
export function withRecorded(text: string, recorded: RecordedRequests): string {
  const document = parseDocument(text);
  document.set("recorded", document.createNode(recorded, { aliasDuplicateObjects: false }));
  return bounded(document.toString({ lineWidth: 0 }));
}

function bounded(text: string): string {
  if (text.length <= maxLength) return text;
  throw new PthError(
    "INVALID_PLAYBOOK",
    `Cannot write playbook: it has more than ${maxLength} characters, so that it could not be read again`,
    { next: ["Record a shorter session"] },
  );
}
