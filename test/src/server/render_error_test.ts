import t from "tap";
import { PthError } from "../../../src/errors.ts";
import { renderError } from "../../../src/server/render_error.ts";

t.test("options of the command line are no way out over MCP", (t) => {
  const next = ["--var REGION=…", "On the command line: --var NAME=value", "Over MCP: pth_load_plugin({})"];
  const error = new PthError("CONFIG_MISSING", "Cannot start plugin: it needs REGION", { next });
  const { text } = renderError(error, "Cannot run pth_load_plugin", false);
  t.match(text, /\nNext:\n- Over MCP: pth_load_plugin\(\{\}\)$/);
  t.end();
});
