/** `--payload`, `--tool` and `--input` of `pth hook fire`: what hooks are sent. */
import { errorMessage } from "../../core/errors.ts";
import { isObject, jsonIn } from "../../core/values.ts";
import { payloadFor, recordedPayload } from "../../hooks/payloads.ts";
import { readTextFile, stat } from "../../platform/files.ts";
import { textValue } from "../options/option_values.ts";
import type { Problems } from "../options/problems.ts";

type Payload = Record<string, unknown>;

/** Bytes of a file of payloads, and payloads that are fired of one. */
const longestFile = 16 * 1024 * 1024;
const mostPayloads = 50;

/**
 * Reads payloads of an event: one, or all of that event in a file of JSON lines, as a hook may have logged them.
 * @throws {PthError} `INVALID_INPUT` for an event that there is not, or of which no payload is there
 */
export async function readPayloads(
  event: string,
  options: Readonly<Record<string, unknown>>,
  problems: Problems,
): Promise<Payload[]> {
  const place = textValue(options.payload);
  const tool = textValue(options.tool);
  const input = textValue(options.input);
  const given: Payload = {};
  if (tool !== undefined) given.tool_name = tool;
  if (input !== undefined) {
    const value = jsonIn(input);
    if (!isObject(value)) problems.add("--input expects a JSON object");
    else given.tool_input = value;
  }
  if (place === undefined) return [payloadFor(event, given)];
  if (place === "recorded") return [{ ...recordedPayload(event), ...given }];
  const texts = await payloadsOf(place, problems);
  const fitting = texts.length === 1
    ? texts
    : texts.filter(({ hook_event_name: name }) => name === undefined || name === event);
  if (fitting.length === 0 && problems.empty) problems.add(`--payload: ${place} has no payload of ${event}`);
  if (fitting.length > mostPayloads) {
    problems.add(
      `--payload: expected at most ${mostPayloads} payloads of ${event}, ${place} has ${fitting.length}`,
    );
    return [];
  }
  return fitting.map((each) => payloadFor(event, { ...each, ...given }));
}

async function payloadsOf(place: string, problems: Problems): Promise<Payload[]> {
  let text: string;
  try {
    const { size } = await stat(place);
    if (size > longestFile) {
      problems.add(`--payload: ${place} is longer than ${longestFile / 1024 / 1024} MiB`);
      return [];
    }
    text = await readTextFile(place);
  } catch (error) {
    problems.add(`--payload: cannot read ${place}: ${errorMessage(error)}`);
    return [];
  }
  const whole = jsonIn(text);
  if (isObject(whole)) return [whole];
  const lines = text.split("\n").map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.trim() !== "");
  const found: Payload[] = [];
  for (const { line, number } of lines) {
    const value = jsonIn(line);
    if (!isObject(value)) {
      problems.add(`--payload: ${place}:${number}: expected a JSON object, or one in each line`);
      return [];
    }
    found.push(value);
  }
  if (found.length === 0) problems.add(`--payload: ${place} is empty`);
  return found;
}
