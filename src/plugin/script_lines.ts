/** The commands of a shell text: what stands where a command is expected, not what is only mentioned. */

/** Words that stand before a command and leave it one: `sudo -n`, `env A=b`, `then`, `sh -c` … */
const before = new RegExp(
  "^(?:" + [
    String.raw`[A-Za-z_]\w*=\S*`,
    String.raw`(?:sudo|doas|pkexec)(?:\s+-[ugCpDhRTr]\s+\S+|\s+-[\w-]+(?:=\S+)?)*`,
    String.raw`env(?:\s+-\S+)*`,
    String.raw`timeout(?:\s+-\S+)*\s+\S+`,
    String.raw`(?:nohup|exec|time|nice|setsid|then|do|else|if|elif|while|until|!|\{|\()`,
    String.raw`(?:\S*\/)?(?:ba|da|z)?sh\s+-\w*c`,
  ].join("|") + ")(?:\\s+|$)",
);

/** Each as its words with one blank between, without what stands before it and without the path of its program. */
export function shellCommands(text: string): string[] {
  return parts(text).map(plain).filter((command) => command !== "");
}

/** A command without `sudo` and the like. */
function plain(part: string): string {
  let rest = part.trim();
  for (let found = before.exec(rest); found; found = before.exec(rest)) {
    rest = rest.slice(found[0].length).replace(/^["']/, "");
  }
  return rest.replaceAll(/["']/g, "").replaceAll(/\s+/g, " ").replace(/^(?:\/[\w.-]+)+\/(?=[\w.-])/, "");
}

/** Splits where the shell would end a command, quotes left alone; what `$(…)` runs counts, too. */
function parts(text: string): string[] {
  const found: string[] = [""];
  const token = /\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|&&|\|\|?|;|\n|[^]/g;
  for (const [piece] of text.matchAll(token)) {
    if (/^(?:&&|\|\|?|;|\n)$/.test(piece)) found.push("");
    else found[found.length - 1] += piece;
  }
  const inner = [...text.matchAll(/\$\(([^()]*)\)/g)].flatMap(([, command]) => parts(command!));
  return [...found, ...inner];
}

/** A line of a script that runs something. */
export interface ScriptLine {
  /** From 1. */
  line: number;
  text: string;
}

/** Lines of a script, joined where they go on, without comments and without texts that are handed to commands (`<<EOF`). */
export function scriptLines(script: string): ScriptLine[] {
  const kept: ScriptLine[] = [];
  let end: string | undefined;
  let goesOn = false;
  for (const [index, text] of script.split("\n").entries()) {
    if (end !== undefined) {
      if (text.trim() === end) end = undefined;
      continue;
    }
    end = /<<-?\s*["']?(\w+)["']?/.exec(text)?.[1];
    const code = text.replace(/(?:^|\s)#.*$/, "");
    if (goesOn) kept.at(-1)!.text += ` ${code.replace(/\\$/, "")}`;
    else if (code.trim() !== "") kept.push({ line: index + 1, text: code.replace(/\\$/, "") });
    goesOn = code.endsWith("\\");
  }
  return kept;
}
