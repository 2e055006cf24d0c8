import t from "tap";
import { launcherOf } from "../../../src/testing/launcher_of.ts";

const rows: [command: string[], launcher: string | undefined][] = [
  [["npx", "-y", "server"], "npx"],
  [["sh", "-c", "node server.js"], "sh"],
  [["/bin/bash", "start.sh"], "bash"],
  [["npm", "exec", "server"], "npm"],
  [["env", "DEBUG=1", "uvx", "server"], "uvx"],
  [["nohup", "npx", "server"], "npx"],
  [["node", "/usr/lib/node_modules/npm/bin/npx-cli.js", "server"], "npx-cli.js"],
  [["node", "server.js"], undefined],
  [["node", "--enable-source-maps", "/work/npx.mjs"], undefined],
  [["python3", "-m", "server"], undefined],
  [["env", "DEBUG=1", "./node_modules/.bin/server"], undefined],
  [["./bin/npx-server"], undefined],
  [[], undefined],
];

t.test("programs that only start a server are told from servers", (t) => {
  for (const [command, launcher] of rows) t.equal(launcherOf(command), launcher, command.join(" "));
  t.end();
});
