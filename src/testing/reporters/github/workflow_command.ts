/** Workflow commands of GitHub Actions: lines of a log that the runner understands. */
import { stripEscapes } from "../../../core/text.ts";

/** Where an annotation points; lines count from 1. */
export interface CommandProperties {
  title?: string;
  file?: string;
  line?: number;
}

/** `::error file=…,line=…,title=…::message` and a line feed; nothing in the texts can end it or begin another. */
export function workflowCommand(name: string, message: string, properties: CommandProperties = {}): string {
  const given = Object.entries(properties).filter(([, value]) => value !== undefined);
  const list = given.map(([key, value]) => `${key}=${escapeProperty(String(value))}`).join(",");
  return `::${name}${list === "" ? "" : ` ${list}`}::${escapeData(message)}\n`;
}

const escapeData = (text: string): string =>
  stripEscapes(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

const escapeProperty = (text: string): string =>
  escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
