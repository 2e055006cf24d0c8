import { assetText } from "../../platform/asset_text.ts";
import { findFiles } from "../count_files.ts";
import { defineFramework, type TestProject } from "../framework.ts";
import { eventsVariable, reportedEvents, unnumbered } from "../readers/reported_events.ts";
import { functionsToTrace } from "../stack_frames.ts";
import { filesOfLevel } from "../test_levels.ts";

const testFile = /_spec\.rb$/;
const listener = "rspec_listener.rb";

/** Words that start RSpec in a project, for reruns. */
const programs = new WeakMap<TestProject, readonly string[]>();

export default defineFramework({
  name: "rspec",
  summary:
    "runs RSpec, by Bundler where that has it, and listens to it beside its own formatters; levels are folders or " +
    "names of files; a pending test counts as skipped",
  language: "ruby",
  buildSystem: "bundler",
  detectedBy:
    "`.rspec`, `spec/spec_helper.rb`, a `Gemfile` or gemspec that names RSpec, or files `*_spec.rb`",
  needs: () => ["ruby"],
  async detect({ folder }) {
    for (const path of [".rspec", "spec/spec_helper.rb"]) {
      if (await folder.exists(path)) return { confidence: 90, reason: path };
    }
    const manifests = (await folder.list()).filter((name) => /^(?:Gemfile|gems\.rb|.*\.gemspec)$/.test(name));
    for (const path of manifests) {
      const isNamed = /["']rspec(?:-core|-rails)?["']/.test(await folder.read(path) ?? "");
      if (isNamed) return { confidence: 80, reason: `${path} names rspec` };
    }
    const [first] = await findFiles(folder, testFile);
    return first === undefined ? undefined : { confidence: 70, reason: first };
  },
  async plan(project, place) {
    const { folder, request: { level, test } } = project;
    const program = await programOf(project);
    programs.set(project, program);
    const chosen = test === undefined
      ? level === undefined ? [] : filesOfLevel(await findFiles(folder, testFile), level)
      : wordsFor(test);
    return {
      files: { [listener]: assetText(`project_tests/${listener}`) },
      preparation: [],
      runs: [{
        argv: [...program, "--require", `${place.scratch}/${listener}`, ...chosen],
        env: { [eventsVariable]: place.events },
      }],
    };
  },
  reader: (project) => reportedEvents(project),
  rerun: ({ name, suite }, project) => ({
    // What has no file is no test: a hook around several of them.
    argv: [...programs.get(project) ?? ["rspec"], ...(suite === undefined ? [] : wordsFor(name, suite))],
  }),
  suggestTraces: ({ stack }) => functionsToTrace(stack),
  withoutTests: async ({ folder }) => ({
    language: "ruby",
    buildSystem: "bundler",
    testFiles: (await findFiles(folder, testFile)).length,
    hint:
      'No tests found. RSpec takes files *_spec.rb: write spec/first_spec.rb with RSpec.describe("sums") ' +
      '{ it("adds") { expect(1 + 1).to eq 2 } }',
  }),
});

/** Bundler is asked for it, as a Gemfile whose gems are not installed does not keep RSpec from running. */
async function programOf({ folder, probe }: TestProject): Promise<string[]> {
  if (await folder.exists("bin/rspec")) return ["bin/rspec"];
  if (!await folder.exists("Gemfile") && !await folder.exists("gems.rb")) return ["rspec"];
  const bundled = ["bundle", "exec", "rspec"];
  return (await probe([...bundled, "--version"])).code === 0 ? bundled : ["rspec"];
}

/** Words that choose a test: by its full description, or its place where it has none. */
function wordsFor(name: string, suite?: string): string[] {
  const place = / \((\.\/[^()]+:\d+)\)$/.exec(name)?.[1];
  if (place !== undefined) return [place];
  const pattern = unnumbered(name).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replaceAll("\n", "\\n");
  return [...(suite === undefined ? [] : [suite]), "--example-matches", `^${pattern}$`];
}
