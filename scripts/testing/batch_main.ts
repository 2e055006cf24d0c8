/**
 * Runs unit test files in this process, one after the other, each as a subtest of its path: on Deno and on Node.
 *
 * The paths come as JSON on stdin, not as arguments: node-tap names the folders of `t.testdir` after the arguments. A line on
 * stderr (`startMark` and its path) says which file starts, so that a crash has a culprit.
 */
import { readFileSync, writeSync } from "node:fs";
import { relative, resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import t, * as tap from "tap";
import { type BatchFile, startMark } from "./batch_file.ts";

const files = JSON.parse(readFileSync(0, "utf8")) as BatchFile[];
type Methods = Record<string, unknown>;
const root = t as unknown as Methods;
const runFile = t.test.bind(t);
/** Names of the methods that a file may call on the `t` that it imports: tap's exports, and some beside. */
const names = [
  ...Object.keys(tap),
  "teardown",
  "setTimeout",
  "equal",
  "strictSame",
  "rejects",
  "resolves",
  "chdir",
];
const own = names.filter((name) => name !== "t" && typeof root[name] === "function")
  .map((name) => [name, root[name] as (...args: unknown[]) => unknown] as const);

for (const { path, module, timeoutSeconds } of files) {
  writeSync(2, `${startMark}${path}\n`);
  const started = performance.now();
  const before = photograph();
  await runFile(path, { timeout: timeoutSeconds * 1000 }, async (file) => {
    file.testdirName = resolve(".tap/fixtures", relative(process.cwd(), module).replace(/[^\w.-]+/g, "-"));
    redirect(file as unknown as Methods);
    await import(pathToFileURL(module).href);
  });
  for (const [name, method] of own) root[name] = method;
  if (before !== undefined) { for (const left of restore(before)) t.fail(left); }
  // The work of a file that reached its limit still goes on: the files behind it get a new process.
  if (performance.now() - started > timeoutSeconds * 1000) {
    await new Promise((written) => process.stdout.write("", written));
    process.exit(1);
  }
}
writeSync(2, `${startMark}\n`);

/** Has the calls on the root, which files import, reach the file's own subtest. */
function redirect(file: Methods): void {
  for (const [name] of own) root[name] = (file[name] as (...args: unknown[]) => unknown).bind(file);
}

interface Photo {
  cwd: string;
  variables: Record<string, string | undefined>;
}

function photograph(): Photo {
  return { cwd: process.cwd(), variables: { ...process.env } };
}

/** Undoes what a file left changed for those after it; each change is a problem. */
function restore({ cwd, variables }: Photo): string[] {
  const problems: string[] = [];
  const hint = "restore it in t.teardown, or say `// test: own-process` in the first lines";
  for (const name of new Set([...Object.keys(variables), ...Object.keys(process.env)])) {
    const value = variables[name];
    if (process.env[name] === value) continue;
    problems.push(`left the variable ${name} changed: ${hint}`);
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  if (process.cwd() !== cwd) {
    problems.push(`left the working folder changed: ${hint}`);
    process.chdir(cwd);
  }
  if (process.exitCode !== undefined && process.exitCode !== 0) {
    problems.push(`left the exit code ${process.exitCode}: ${hint}`);
    process.exitCode = 0;
  }
  return problems;
}
