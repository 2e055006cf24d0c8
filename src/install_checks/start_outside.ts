/** Commands that start what was installed where nothing of its source lies. */

const script = 'cd "$1" && shift && exec env "$@"';

/**
 * The command, in another folder and with variables of its own.
 * @param folder inside; the user's project
 */
export const startOutside = (
  folder: string,
  variables: Readonly<Record<string, string>>,
  command: readonly string[],
): string[] => [
  "sh",
  "-c",
  script,
  "sh",
  folder,
  ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
  ...command,
];
