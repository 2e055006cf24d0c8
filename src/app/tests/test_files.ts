/** Tests as files of the session's copy: written when one is created, rewritten when one is edited. */
import { basename, dirname, join } from "node:path";
import type { TestCase } from "../../../machines/model/test_case.ts";
import { PthError } from "../../core/errors.ts";
import type { DeletedTest } from "../../api/tests.ts";
import { openConfined } from "../../platform/confined/open_confined.ts";
import { mkdir, pathExists } from "../../platform/files.ts";
import { parseTests } from "../../testing/format/parse.ts";
import { serializeTests } from "../../testing/format/serialize_tests.ts";

/**
 * A new file with one test.
 * @throws {PthError} `INVALID_TEST_FILE` when the text is not exactly one test, or another test by hand has its name
 */
export async function addTestFile(
  folder: string,
  tests: readonly TestCase[],
  yaml: string,
): Promise<TestCase> {
  const test = onlyTest("new test", yaml);
  refuseTakenName(tests, test);
  return await writeAlone(folder, test, yaml);
}

/** The next one who reads the folder would refuse the second of them. */
function refuseTakenName(tests: readonly TestCase[], { name }: TestCase): void {
  const other = tests.find((test) => test.name === name && test.file && test.generatedFrom === "manual");
  if (other === undefined) return;
  throw new PthError("INVALID_TEST_FILE", `Cannot keep the test: "${name}" is the name of another test`, {
    tried: [`${other.file}:${other.line ?? 1}`],
    next: [
      "Give it another name",
      { mcp: `Or change the other: pth_edit_test({ id: ${JSON.stringify(other.id)}, yaml })` },
    ],
  });
}

/**
 * Replaces one of the tests where it lies: in its file, or as a new file where it was in memory only. Resolves to all
 * tests; those beside it in the file know their new places.
 * @throws {PthError} `INVALID_TEST_FILE` when the text is not exactly one test, or the file has changed meanwhile
 */
export async function editTestFile(
  folder: string,
  tests: readonly TestCase[],
  index: number,
  yaml: string,
): Promise<TestCase[]> {
  const old = tests[index]!;
  const test: TestCase = { ...onlyTest(`test ${old.id}`, yaml), generatedFrom: "manual" };
  refuseTakenName(tests.filter((each) => each !== old), test);
  const { file } = old;
  if (file === undefined) return tests.with(index, await writeAlone(folder, test, yaml));
  const inFile = parseTests(file, await read(file));
  if (inFile.length === 1) {
    // A file that holds this test alone keeps the author's own words.
    await write(file, yaml);
    return tests.with(index, { ...test, file });
  }
  const at = placeIn(inFile, old);
  if (at === -1) throw changedMeanwhile(old, "edit");
  const text = serializeTests(inFile.with(at, test));
  await write(file, text);
  const written = parseTests(file, text);
  return tests.map((each) => {
    if (each === old) return { ...test, ...placeOf(written[at]!) };
    const place = each.file === file ? written[placeIn(inFile, each)] : undefined;
    return place === undefined ? each : { ...each, ...placeOf(place) };
  });
}

/**
 * Takes one of the tests out of its file, which goes with its last test. Resolves to the other tests; those beside it in the file
 * know their new places.
 * @throws {PthError} `INVALID_TEST_FILE` when the file has changed meanwhile
 */
export async function deleteTestFile(
  tests: readonly TestCase[],
  index: number,
): Promise<{ tests: TestCase[]; deleted: DeletedTest }> {
  const test = tests[index]!;
  const { file } = test;
  const rest = tests.toSpliced(index, 1);
  const yaml = serializeTests([test]);
  const text = file === undefined ? undefined : await readIfThere(file);
  if (file === undefined || text === undefined) {
    return { tests: rest, deleted: { test, yaml, file: file === undefined ? "none" : "gone", others: 0 } };
  }
  const inFile = parseTests(file, text);
  const at = placeIn(inFile, test);
  if (at === -1) throw changedMeanwhile(test, "delete");
  if (inFile.length === 1) {
    await openConfined(dirname(file)).remove(basename(file));
    // The author's own words come back.
    return { tests: rest, deleted: { test, yaml: text, file: "removed", others: 0 } };
  }
  const others = inFile.toSpliced(at, 1);
  const without = serializeTests(others);
  await write(file, without);
  const written = parseTests(file, without);
  const moved = rest.map((each) => {
    const place = each.file === file ? written[placeIn(others, each)] : undefined;
    return place === undefined ? each : { ...each, ...placeOf(place) };
  });
  return { tests: moved, deleted: { test, yaml, file: "kept", others: others.length } };
}

async function writeAlone(folder: string, test: TestCase, yaml: string): Promise<TestCase> {
  const file = await freeFile(folder, test.id);
  await write(file, yaml);
  return { ...test, file };
}

/** @throws {PthError} `PATH_REFUSED` where a link or a fifo stands in its place */
async function read(file: string): Promise<string> {
  const text = await readIfThere(file);
  if (text !== undefined) return text;
  throw new PthError("INVALID_TEST_FILE", `Cannot edit the test: ${file} is gone`, {
    next: [{ mcp: "Write the test to a file of its own: pth_create_test" }],
  });
}

const readIfThere = (file: string): Promise<string | undefined> =>
  openConfined(dirname(file)).readText(basename(file));

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await openConfined(dirname(file)).write(basename(file), text);
}

const placeIn = (inFile: readonly TestCase[], { name, line }: TestCase): number =>
  inFile.findIndex((test) => test.name === name && test.line === line);

const placeOf = ({ file, line }: TestCase): Pick<TestCase, "file" | "line"> => ({
  ...(file === undefined ? {} : { file }),
  ...(line === undefined ? {} : { line }),
});

const changedMeanwhile = ({ id, name, file, line }: TestCase, action: "edit" | "delete"): PthError =>
  new PthError("INVALID_TEST_FILE", `Cannot ${action} test ${id}: ${file} was changed since it was read`, {
    tried: [`"${name}" at line ${line}`],
    next: [
      "Change the file itself: it is read again before tests run",
      ...(action === "edit" ? [{ mcp: "Or write the test to a file of its own: pth_create_test" }] : []),
    ],
  });

function onlyTest(place: string, yaml: string): TestCase {
  const [test, ...more] = parseTests(place, yaml);
  if (test && more.length === 0) return test;
  throw new PthError(
    "INVALID_TEST_FILE",
    `Cannot take ${place}: it holds ${more.length + (test ? 1 : 0)} tests`,
    { next: ["Give the YAML of exactly one test"] },
  );
}

async function freeFile(folder: string, id: string): Promise<string> {
  for (let number = 1;; number++) {
    const file = join(folder, `${number === 1 ? id : `${id}-${number}`}.yaml`);
    if (!await pathExists(file)) return file;
  }
}
