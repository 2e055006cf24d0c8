/*
 * Runs inside the plugin's Node and Deno processes: loaded by `NODE_OPTIONS=--require`, before their own code, on Node 14 or
 * newer, or Deno (2.9 is known to load it).
 *
 * Prints nothing on stdout, keeps no process alive, and leaves the server alone when something fails: the failure is
 * written into a file. Node's inspector answers before "post" returns, Deno's a moment later.
 */
"use strict";
(() => {
  const folder = __dirname;
  const fs = require("fs");
  const { writeFileSync, renameSync, readFileSync, readdirSync, unlinkSync, watch } = fs;
  const { threadId } = require("worker_threads");
  const deno = process.versions.deno !== undefined;
  const name = "v8-" + process.pid + "-" + threadId;
  const tell = (error) => {
    try {
      writeFileSync(folder + "/problems/" + name, String((error && error.stack) || error));
    } catch (_) {
      // Nobody is left to be told.
    }
  };
  try {
    const { Session } = require("inspector");
    const { fileURLToPath } = require("url");
    const { roots } = JSON.parse(readFileSync(folder + "/settings.json", "utf8"));
    const session = new Session();
    session.connect();
    const post = (method, params, then) =>
      session.post(method, params, (error, result) => {
        try {
          if (error) throw new Error(method + ": " + error.message);
          then(result);
        } catch (problem) {
          tell(problem);
        }
      });
    const isOwn = (url) => {
      if (!url.startsWith("file://")) return false;
      const path = fileURLToPath(url);
      if (path.startsWith(folder + "/")) return false;
      return roots.some((root) =>
        path.startsWith(root + "/") && !path.slice(root.length).includes("/node_modules/")
      );
    };
    // Deno tells its source maps to nobody: they end the files that it keeps of what it compiled.
    const withMap = (url, code) => {
      const { DENO_DIR, XDG_CACHE_HOME, HOME } = process.env;
      const cache = DENO_DIR || (XDG_CACHE_HOME || HOME + "/.cache") + "/deno";
      const kept = readFileSync(cache + "/gen/file" + fileURLToPath(url) + ".js", "utf8");
      const map = kept.startsWith(code) && /^\/\/# sourceMappingURL=\S+/m.exec(kept.slice(code.length));
      if (!map) throw new Error("Deno's cache holds no source map of " + url);
      return code + "\n" + map[0] + "\n";
    };
    const sources = new Map();
    const unmapped = new Set();
    const read = (script, code) => {
      try {
        sources.set(
          script.scriptId,
          deno && /\.([cm]?ts|[jt]sx)$/.test(script.url) ? withMap(script.url, code) : code,
        );
      } catch (error) {
        unmapped.add(script.scriptId);
        tell(error);
      }
    };
    // What was made in memory is in no file that could be read later.
    const withSources = (scripts, then) => {
      const made = scripts.filter(({ scriptId, url }) =>
        !sources.has(scriptId) && !unmapped.has(scriptId) && !/\.[cm]?js$/.test(url)
      );
      const told = () => scripts.filter(({ scriptId }) => !unmapped.has(scriptId));
      if (made.length === 0) return then(told());
      const next = (at) => {
        if (at < made.length) {
          return post("Debugger.getScriptSource", { scriptId: made[at].scriptId }, ({ scriptSource }) => {
            read(made[at], scriptSource);
            next(at + 1);
          });
        }
        post("Debugger.disable", {}, () => {
          const isNew = new Set(made);
          then(
            told().map((one) =>
              isNew.has(one) ? Object.assign({}, one, { source: sources.get(one.scriptId) }) : one
            ),
          );
          // They were told; that they are known is all that is needed.
          for (const { scriptId } of made) if (sources.has(scriptId)) sources.set(scriptId, "");
        });
      };
      post("Debugger.enable", {}, () => next(0));
    };
    const say = (cue, ending) =>
      post(
        "Profiler.takePreciseCoverage",
        {},
        ({ result }) =>
          withSources(result.filter(({ url }) => isOwn(url)), (scripts) => {
            const hidden = folder + "/data/." + name + "-" + cue;
            writeFileSync(hidden, JSON.stringify({ kind: "v8", ending, scripts }));
            renameSync(hidden, folder + "/data/" + name + "-" + cue + ".json");
          }),
      );
    const currentCue = () =>
      Math.max(0, ...readdirSync(folder + "/cue").map(Number).filter(Number.isInteger));
    let last = currentCue();
    const look = () => {
      try {
        const cue = currentCue();
        if (cue <= last) return;
        last = cue;
        say(cue, false);
      } catch (error) {
        tell(error);
      }
    };
    const ignore = () => {};
    post("Profiler.enable", {}, ignore);
    post("Profiler.startPreciseCoverage", { callCount: true, detailed: true }, ignore);
    // Where files cannot be watched they are looked at. To Deno a watcher is a reason to live.
    const poll = () => setInterval(look, deno ? 10 : 20).unref();
    try {
      if (deno) poll();
      else watch(folder + "/cue", { persistent: false }, look).on("error", poll);
    } catch (_) {
      poll();
    }
    writeFileSync(folder + "/live/" + name, "");
    let said = false;
    const sayLast = () => {
      if (!said) say("end", true);
      said = true;
    };
    if (deno) process.on("beforeExit", sayLast);
    process.on("exit", () => {
      try {
        if (!deno) sayLast();
        unlinkSync(folder + "/live/" + name);
      } catch (error) {
        tell(error);
      }
    });
  } catch (error) {
    tell(error);
  }
})();
