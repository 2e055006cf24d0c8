/** Prepares a source and waits: a session that a test kills. Arguments: folder, session id. */
import process from "node:process";
import { openRegister } from "../../../../src/registry/register.ts";
import { prepareSource } from "../../../../src/session/prepare_source.ts";

const [target = "", sessionId = ""] = process.argv.slice(2);
const register = await openRegister(sessionId);
process.stdout.write("opened\n");
await prepareSource({ target }, { sessionId, mode: "run", register });
process.stdout.write("prepared\n");
setInterval(() => {}, 1000);
