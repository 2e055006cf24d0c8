/** Former names of commands and options. They still work, are not part of the help, and print a notice. */

const formerCommands: Record<string, string> = { "stand-in": "mock" };
const formerOptions: Record<string, string> = { "--include-held-back": "--include-destructive" };

/** Replaces former names in a command line of PTH's own arguments; `notice` is called once for each name. */
export function withCurrentNames(args: readonly string[], notice: (text: string) => void): string[] {
  const noticed = new Set<string>();
  return args.map((arg, index) => {
    const names = index === 0 ? formerCommands : formerOptions;
    const current = Object.hasOwn(names, arg) ? names[arg]! : arg;
    if (current !== arg && !noticed.has(arg)) {
      notice(`${arg} is now called ${current}; the old name will be removed\n`);
    }
    noticed.add(arg);
    return current;
  });
}
