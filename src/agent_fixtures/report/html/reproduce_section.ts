/** Commands that reproduce a test: the test's own, and all of them as one shell script. */
import {
  emptyMarkup,
  type Markup,
  markup,
  reportNotes,
  shortenedText,
} from "../../../testing/reporters/html/markup.ts";
import type { TestReport } from "../report_schema.ts";
import { copyableText } from "./copyable_text.ts";

export function reproduceSection({ meta, reproduce }: TestReport, room: number): Markup {
  const {
    setup_commands: setup,
    test_command: command,
    cleanup_commands: cleanup,
    environment,
    git_state: git,
  } = reproduce;
  const source = (part: string) => ({ report: meta.test_id, part: `reproduce, ${part}` });
  const variables = Object.entries(environment).map(([name, value]) =>
    markup`<li><code>${name}</code> ${value}</li>`
  );
  const modified = git.modified_files.length === 0
    ? ""
    : `; changed: ${shortenedText(git.modified_files.join(", "), 400)}`;
  return markup`${
    copyableText({
      label: "Test command",
      text: command,
      language: "shell",
      source: source("test_command"),
      room,
    })
  }
<details class="fold"><summary>All commands as a shell script, for an empty folder</summary>
${
    copyableText({
      label: "Script",
      text: reproduceScript(meta.test_id, setup, command),
      language: "shell",
      source: source("setup_commands and test_command"),
      room: room * 8,
    })
  }
${
    copyableText({
      label: "Clean up",
      text: cleanup.join("\n"),
      language: "shell",
      source: source("cleanup_commands"),
      room,
    })
  }</details>
${variables.length === 0 ? emptyMarkup : markup`<h4>Variables</h4><ul>${variables}</ul>`}
${reportNotes(reproduce.notes ?? [])}
${
    git.commit === ""
      ? emptyMarkup
      : markup`<p class="note">git: ${git.branch} at <code>${git.commit.slice(0, 12)}</code>${modified}</p>`
  }`;
}

const reproduceScript = (test: string, setup: readonly string[], command: string): string =>
  ["#!/bin/sh", `# Reproduces ${test.replaceAll(/[^\w.[\]=,-]/g, "_")}.`, "set -e", ...setup, command].join(
    "\n",
  );
