/**
 * What runs inside the plugin's Node processes: loaded by `NODE_OPTIONS=--require`, before their own code.
 *
 * A text, since it is written into the environment and runs on whatever Node is there (14 or newer). It says nothing on
 * stdout, keeps no process alive, and leaves the server alone when something fails: what failed is told in a file.
 */
export const agent = String.raw`"use strict";
(() => {
  const folder = process.env.PTH_COVERAGE;
  if (!folder) return;
  const fs = require("fs");
  const { writeFileSync, renameSync, readFileSync, readdirSync, unlinkSync, watch } = fs;
  const { threadId } = require("worker_threads");
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
    // An in-process session answers before "post" returns.
    const post = (method, params) => {
      let failure;
      let answer;
      session.post(method, params, (error, result) => {
        failure = error;
        answer = result;
      });
      if (failure) throw new Error(method + ": " + failure.message);
      return answer;
    };
    const isOwn = (url) => {
      if (!url.startsWith("file://")) return false;
      const path = fileURLToPath(url);
      if (path.startsWith(folder + "/")) return false;
      return roots.some((root) => path.startsWith(root + "/") && !path.slice(root.length).includes("/node_modules/"));
    };
    const known = new Set();
    // What was made in memory is in no file that could be read later.
    const withSource = (script) => {
      if (known.has(script.scriptId) || /\.[cm]?js$/.test(script.url)) return script;
      known.add(script.scriptId);
      post("Debugger.enable");
      try {
        return Object.assign({}, script, { source: post("Debugger.getScriptSource", { scriptId: script.scriptId }).scriptSource });
      } finally {
        post("Debugger.disable");
      }
    };
    const say = (cue, ending) => {
      const scripts = post("Profiler.takePreciseCoverage").result.filter(({ url }) => isOwn(url)).map(withSource);
      const hidden = folder + "/data/." + name + "-" + cue;
      writeFileSync(hidden, JSON.stringify({ kind: "v8", ending, scripts }));
      renameSync(hidden, folder + "/data/" + name + "-" + cue + ".json");
    };
    const currentCue = () => Math.max(0, ...readdirSync(folder + "/cue").map(Number).filter(Number.isInteger));
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
    post("Profiler.enable");
    post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    // Where files cannot be watched they are looked at.
    const poll = () => setInterval(look, 20).unref();
    try {
      watch(folder + "/cue", { persistent: false }, look).on("error", poll);
    } catch (_) {
      poll();
    }
    writeFileSync(folder + "/live/" + name, "");
    process.on("exit", () => {
      try {
        say("end", true);
        unlinkSync(folder + "/live/" + name);
      } catch (error) {
        tell(error);
      }
    });
  } catch (error) {
    tell(error);
  }
})();
`;
