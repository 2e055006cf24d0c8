/** Finds the framework of a project. */
import type { FrameworkFound } from "../../machines/model/project_test.ts";
import { didYouMean } from "../core/did_you_mean.ts";
import { PthError } from "../core/errors.ts";
import type { ReadableFolder } from "../plugin/readable_folder.ts";
import type { ProjectTestFramework, TestProject } from "./framework.ts";

/** Loaded when tests are run: most sessions of PTH run none. */
const allFrameworks = async (): Promise<readonly ProjectTestFramework[]> =>
  (await import("./frameworks/_registry.ts")).registry;

export const frameworkNames = async (): Promise<string[]> => (await allFrameworks()).map(({ name }) => name);

/** Name of the framework that takes any command. */
export const anyCommand = "generic";

/** @throws {PthError} `INVALID_INPUT` for an unknown name */
export async function frameworkNamed(name: string): Promise<ProjectTestFramework> {
  const found = (await allFrameworks()).find((framework) => framework.name === name);
  if (found !== undefined) return found;
  const names = await frameworkNames();
  const near = didYouMean(name, names);
  throw new PthError("INVALID_INPUT", `Cannot run the tests: there is no framework ${name}`, {
    next: [
      ...(near === undefined ? [] : [`Did you mean ${near}?`]),
      `Name one of: ${names.join(", ")}`,
    ],
  });
}

/**
 * The frameworks that fit, the surest first; the one that the request names is the first, whatever the others are.
 * @throws {PthError} `INVALID_INPUT` for an unknown name, and for a sign that cannot be read
 */
export async function chooseFramework(project: TestProject): Promise<FrameworkFound[]> {
  const { framework: asked, command } = project.request;
  if (command?.trim() === "") {
    throw new PthError("INVALID_INPUT", "Cannot run the tests: the command is empty", {
      next: ["Give the command that runs them, or leave it out"],
    });
  }
  const named = asked === undefined ? undefined : await frameworkNamed(asked);
  if (named !== undefined) {
    if (command !== undefined && !named.takesCommands) {
      throw new PthError("INVALID_INPUT", `Cannot run ${command}: ${named.name} takes no command`, {
        next: [
          `Leave the command out, and ${named.name} starts as the project has it`,
          `Or leave the framework out, and the command runs as it is: its output is read as that of ${anyCommand}`,
        ],
      });
    }
    const seen = await named.detect(project);
    return [{ confidence: 100, reason: "it was asked for", ...seen, framework: named.name }];
  }
  // A command that was given is what runs.
  const fitting = (await allFrameworks()).filter(({ takesCommands }) =>
    command === undefined || takesCommands
  );
  // Most of them look for the same files.
  const seenOnce = { ...project, folder: readOnce(project.folder) };
  const found = await Promise.all(fitting.map(async (framework) => {
    const seen = await framework.detect(seenOnce);
    return seen === undefined ? [] : [{ ...seen, framework: framework.name }];
  }));
  return found.flat().sort((a, b) => b.confidence - a.confidence);
}

/** The folder, with each answer kept. */
function readOnce(folder: ReadableFolder): ReadableFolder {
  const once = <T>(ask: (path: string) => Promise<T>) => {
    const answers = new Map<string, Promise<T>>();
    return (path = "") => {
      const answer = answers.get(path) ?? ask(path);
      answers.set(path, answer);
      return answer;
    };
  };
  return {
    path: folder.path,
    list: once((path) => folder.list(path)),
    read: once((path) => folder.read(path)),
    exists: once((path) => folder.exists(path)),
  };
}
