/** The parts of the bench, by the name that `deno task bench NAME` takes. */
import { measureAgents } from "./agents.ts";
import { measureCalls } from "./calls.ts";
import { measureCoverage } from "./coverage.ts";
import { measureExec } from "./exec.ts";
import { measureGenerate } from "./generate.ts";
import { measureHistory } from "./history.ts";
import { measureInstall } from "./install.ts";
import { measureInstalledTrees } from "./installed_trees.ts";
import { measureIteration } from "./iteration.ts";
import { measureParse } from "./parse.ts";
import { measurePeers } from "./peers.ts";
import { measureProjectTests } from "./project_tests.ts";
import { measureRecording } from "./recording.ts";
import { measureReload } from "./reload.ts";
import { measureResume } from "./resume.ts";
import { measureRuntimes } from "./runtimes.ts";
import { measureServer } from "./server.ts";
import { measureShrink } from "./shrink.ts";
import { measureSize } from "./size.ts";
import { measureSource } from "./source.ts";
import { measureState } from "./state.ts";
import { measureStuck } from "./stuck.ts";
import { measureSuite } from "./suite.ts";
import { measureSystemd } from "./systemd.ts";
import { measureTestTraces } from "./test_traces.ts";
import { measureViz } from "./viz.ts";
import { measureVm } from "./vm.ts";
import { measureVmGrowth } from "./vm_growth.ts";
import { measureWholeSession } from "./whole_session.ts";

export const registry = {
  server: measureServer,
  runtimes: measureRuntimes,
  source: measureSource,
  exec: measureExec,
  systemd: measureSystemd,
  vm: measureVm,
  vm_growth: measureVmGrowth,
  state: measureState,
  agents: measureAgents,
  peers: measurePeers,
  calls: measureCalls,
  parse: measureParse,
  generate: measureGenerate,
  project_tests: measureProjectTests,
  stuck: measureStuck,
  test_traces: measureTestTraces,
  recording: measureRecording,
  reload: measureReload,
  install: measureInstall,
  installed_trees: measureInstalledTrees,
  iteration: measureIteration,
  session: measureWholeSession,
  shrink: measureShrink,
  size: measureSize,
  suite: measureSuite,
  coverage: measureCoverage,
  history: measureHistory,
  resume: measureResume,
  viz: measureViz,
};
