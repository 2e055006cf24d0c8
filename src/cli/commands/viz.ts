/** `pth viz`: a page that shows machines, live sessions and recordings; or their pictures and texts as files. */
import { defineCommand } from "../command.ts";
import { collectValues } from "../options/option_values.ts";
import { readVizRequest } from "../viz/read_viz_request.ts";

export default defineCommand({
  configure(command) {
    command
      .argument(
        "[recording]",
        "file written by --record (default: live sessions, and the statecharts)",
      )
      .option("--session <id>", "show this live session: session id, announcement id or process id")
      .option("--machines", "show the statecharts without a session")
      .option("--port <number>", "port to listen on (default: any free port)")
      .option("--allow-send", "let the page send events to the actors of live sessions")
      .option("--no-open", "do not open the browser")
      .option(
        "--export <folder>",
        "export pictures of the statecharts, or a recording's sequence diagram, and exit",
      )
      .option(
        "--format <list>",
        "export: svg, png, mermaid, dot, comma-separated (default: svg)",
        collectValues,
      )
      .option("--machine <id>", "export: only this machine (repeatable)", collectValues)
      .addHelpText("after", help);
    // For `pth mcp`, which starts a viewer when somebody follows the address of a session; it ends when no page is left.
    command.addOption(command.createOption("--spawned").hideHelp());
    command.addOption(command.createOption("--idle <seconds>").hideHelp());
  },
  async run(line, context) {
    const request = await readVizRequest(line);
    if (request.kind === "export") {
      const { exportFiles } = await import("../viz/export_files.ts");
      return await exportFiles(request, context);
    }
    const { serveViewer } = await import("../viz/serve_viewer.ts");
    return await serveViewer(request, context);
  },
});

const help = `
The page is served on this machine's loopback alone. Its address holds a token that opens it once; in a terminal,
Enter prints another one. Ctrl-C ends the viewer, never a session.

Examples:
  pth viz                                   the live sessions of this user, and the machines
  pth viz run.jsonl                         a recording (pth run … --record run.jsonl)
  pth viz --session 12345                   the session of process 12345
  pth viz --export docs/machines            the pictures of all machines
  pth viz --export out --format mermaid,dot --machine session
  pth viz run.jsonl --export out            the pictures, and who sent what to whom as a Mermaid sequence`;
