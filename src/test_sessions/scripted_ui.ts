/** The user of a test session: dialogs of extensions are answered by a script. */
import { errorMessage } from "../core/errors.ts";

/** Answers to dialogs, by their kind: a value, or a function of what the dialog shows. */
export interface UiScript {
  confirm?: boolean | ((title: string, message: string) => boolean);
  /** One of the options, or its index; undefined cancels. */
  select?: string | number | ((title: string, options: string[]) => string | number | undefined);
  input?: string | ((title: string, placeholder?: string) => string | undefined);
  editor?: string | ((title: string, prefill?: string) => string | undefined);
}

/** Call of an extension to the user interface. */
export interface UiCall {
  /** `confirm`, `select`, `input`, `editor`, `notify`, `setStatus` … */
  method: string;
  args: unknown[];
  /** Answer to a dialog. */
  answer?: unknown;
}

/**
 * Makes the `uiContext` of a session. A dialog that the script does not answer is a failure: a person would have been asked.
 * @param heard Takes each call.
 * @param failed Takes the text of each failure.
 */
export function scriptedUi(
  script: UiScript,
  heard: (call: UiCall) => void,
  failed: (message: string) => void,
): object {
  const dialog = (method: keyof UiScript, cancelled: unknown) => (...args: unknown[]): Promise<unknown> => {
    const scripted = script[method] as unknown;
    const shown = `${method}(${args.slice(0, 2).map((each) => JSON.stringify(each)).join(", ")})`;
    let answer = cancelled;
    try {
      if (scripted === undefined) throw new Error(`no answer to ${shown}: set mockUI.${method}`);
      answer = typeof scripted === "function" ? scripted(...args) : scripted;
      if (method === "select") answer = optionOf(answer, args[1] as string[], shown);
    } catch (error) {
      failed(`user interface: ${errorMessage(error)}`);
    }
    heard({ method, args: args.filter((each) => each !== undefined), answer });
    return Promise.resolve(answer);
  };
  const dialogs: Record<string, unknown> = {
    confirm: dialog("confirm", false),
    select: dialog("select", undefined),
    input: dialog("input", undefined),
    editor: dialog("editor", undefined),
  };
  const values: Record<string, unknown> = {
    theme: plainTheme,
    getEditorText: () => "",
    getToolsExpanded: () => false,
    getAllThemes: () => [],
    getTheme: () => undefined,
    getEditorComponent: () => undefined,
    setTheme: () => ({ success: false, error: "a test session has no themes" }),
    onTerminalInput: () => () => {},
    custom: () => {
      failed("user interface: custom components need a terminal, which a test session has not");
      return Promise.resolve(undefined);
    },
  };
  const shows = Object.fromEntries(
    showing.map((method) => [method, (...args: unknown[]) => heard({ method, args })]),
  );
  return { ...shows, ...values, ...dialogs };
}

/** Members that only show something. pi copies the object, so that each must be there by its name. */
const showing = [
  ...["notify", "setStatus", "setWorkingMessage", "setWorkingVisible", "setWorkingIndicator", "setTitle"],
  ...["setHiddenThinkingLabel", "setWidget", "setFooter", "setHeader", "pasteToEditor", "setEditorText"],
  ...["addAutocompleteProvider", "setEditorComponent", "setToolsExpanded"],
];

/** Theme without colours: each of its functions gives the text that it is given last. */
const plainTheme: object = new Proxy({}, {
  get: (_, name) => typeof name === "symbol" ? undefined : (...args: unknown[]) => args.at(-1),
});

/** @throws {Error} for an answer that is none of the options */
function optionOf(answer: unknown, options: string[], shown: string): string | undefined {
  if (answer === undefined) return undefined;
  const option = typeof answer === "number" ? options[answer] : options.find((each) => each === answer);
  if (option !== undefined) return option;
  throw new Error(`${JSON.stringify(answer)} is no option of ${shown}: ${JSON.stringify(options)}`);
}
