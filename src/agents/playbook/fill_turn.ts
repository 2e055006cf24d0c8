/** A chosen turn, filled with what earlier results brought. */
import type { Binding, Turn } from "../../../machines/model/playbook.ts";
import { PthError } from "../../core/errors.ts";
import { textExcerpt } from "../../core/text.ts";
import { jsonIn } from "../../core/values.ts";
import { bounded } from "../../platform/bounded.ts";
import { replaceVariables } from "../../testing/format/variables.ts";
import { valuesAt } from "../../testing/match/values_at.ts";
import { type ModelRequest, resultOf } from "./model_request.ts";

export interface FilledTurn {
  turn: Turn;
  /** Variables of the lane from now on. */
  variables: Record<string, unknown>;
}

/**
 * Takes the turn's bindings from the results of the request, and replaces `$name` in its texts and inputs.
 * @throws {PthError} `INVALID_PLAYBOOK` for a binding that finds nothing
 */
export function fillTurn(turn: Turn, request: ModelRequest, before: Record<string, unknown>): FilledTurn {
  const bound = Object.entries(turn.bind ?? {}).map(([name, binding]) =>
    [name, boundValue(name, binding, request)] as const
  );
  const variables = { ...before, ...Object.fromEntries(bound) };
  const { text, thinking, calls } = turn;
  return {
    variables,
    turn: {
      ...turn,
      ...(text === undefined ? {} : { text: asText(replaceVariables<unknown>(text, variables)) }),
      ...(thinking === undefined ? {} : { thinking: asText(replaceVariables<unknown>(thinking, variables)) }),
      ...(calls === undefined ? {} : {
        calls: calls.map(({ tool, input }) => ({
          tool,
          ...(input === undefined ? {} : { input: replaceVariables(input, variables) }),
        })),
      }),
    },
  };
}

const asText = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value);

function boundValue(name: string, { tool, path, regex }: Binding, { results }: ModelRequest): unknown {
  const result = resultOf(tool, results);
  const refuse = (reason: string) => new PthError("INVALID_PLAYBOOK", `Cannot bind ${name}: ${reason}`);
  if (result === undefined) throw refuse(`no result of ${tool ?? "a tool"} is there yet`);
  const actual = `the result of ${result.tool}, ${textExcerpt(result.text, 200)}`;
  if (regex !== undefined) {
    const found = bounded(() => new RegExp(regex).exec(result.text));
    if (found === null) throw refuse(`/${regex}/ matches nothing in ${actual}`);
    return found[1] ?? found[0];
  }
  const json = jsonIn(result.text);
  if (json === undefined) throw refuse(`${path} needs JSON, and it is not: ${actual}`);
  const [value] = valuesAt(path!, json);
  if (value === undefined) throw refuse(`nothing is at ${path} of ${actual}`);
  return value;
}
