/** The variables of a process that runs on the bare host: what finds programs, never what holds secrets. */
import { homedir } from "node:os";
import { join } from "node:path";
import { pathExists } from "../../platform/files.ts";
import { allEnv } from "../../platform/host.ts";
import { carriedSettings } from "../shared/carried_settings.ts";

const names = ["PATH", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "JAVA_HOME", "GOROOT", "VIRTUAL_ENV"];

/** Where toolchains live when nothing says otherwise; HOME is a scratch folder, so they must be told. */
const toolHomes = {
  PYENV_ROOT: ".pyenv",
  RUSTUP_HOME: ".rustup",
  NVM_DIR: ".nvm",
  VOLTA_HOME: ".volta",
  ASDF_DATA_DIR: ".asdf",
};

export async function hostVariables(home: string): Promise<Record<string, string>> {
  const host = allEnv();
  const env = (await carriedSettings(() => true)).env;
  for (const name of names) if (host[name] !== undefined) env[name] = host[name];
  for (const [name, folder] of Object.entries(toolHomes)) {
    const path = host[name] ?? join(homedir(), folder);
    if (await pathExists(path)) env[name] = path;
  }
  return { ...env, HOME: home };
}
