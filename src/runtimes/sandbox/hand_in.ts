/**
 * Variables of a command inside, kept from the host's programs that lead there. Their loader, shell and Perl obey some
 * (`LD_PRELOAD`, `PATH`, `PERL5OPT`, functions of bash), and whoever wrote a plugin's configuration would run code outside.
 */

/** Stands before a name on the way in. */
const prefix = "PTH_INSIDE_";

/** Names that mean nothing to a program of the host, and those that a shell lets nobody set. */
const asTheyAre = /^(?!PTH_INSIDE_)PTH_|^(UID|EUID|PPID|BASHOPTS|SHELLOPTS|BASH_VERSINFO)$/;
const shellName = /^[A-Za-z_]\w*$/;
/** How bash hands functions on. */
const bashFunction = /^BASH_FUNC_/;

/**
 * @returns the variables to start with, and what a shell inside has to run first to have the ones that were given. A name that
 * a shell cannot set goes in as it is, but for functions: bash would run them.
 */
export function handIn(variables: Record<string, string>): { env: Record<string, string>; first: string } {
  const entries = Object.entries(variables).filter(([name]) => !bashFunction.test(name));
  const hidden = entries.map(([name]) => name).filter((name) =>
    shellName.test(name) && !asTheyAre.test(name)
  );
  const renamed = entries.map(([name, value]) => [hidden.includes(name) ? prefix + name : name, value]);
  const settings = hidden.map((name) => `export ${name}="$${prefix}${name}"; unset ${prefix}${name}; `);
  return { env: Object.fromEntries(renamed), first: settings.join("") };
}
