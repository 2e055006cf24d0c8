/** A database of one table. */
import { Buffer } from "node:buffer";

const pageSize = 1024;

/** SQLite database with a table `example (id, name, value)` of these rows, which fit one page. */
export function sqliteDatabase(rows: readonly (readonly [name: string, value: number])[]): Uint8Array {
  const sql = "CREATE TABLE example (id INTEGER PRIMARY KEY, name TEXT, value INTEGER)";
  const first = leafPage([["table", "example", "example", 2, sql]], 100);
  header().copy(first);
  // The key of a row stands beside it, so that its column holds nothing.
  return Buffer.concat([first, leafPage(rows.map(([name, value]) => [null, name, value]), 0)]);
}

function header(): Buffer {
  const head = Buffer.alloc(100);
  head.write("SQLite format 3\0");
  head.writeUInt16BE(pageSize, 16);
  head.set([1, 1, 0, 64, 32, 32], 18);
  const numbers: [place: number, value: number][] = [
    [24, 1], // changes
    [28, 2], // pages
    [40, 1], // version of the schema
    [44, 4], // its format
    [56, 1], // UTF-8
    [92, 1], // changes for which the version counts
    [96, 3_040_000],
  ];
  for (const [place, value] of numbers) head.writeUInt32BE(value, place);
  return head;
}

type Value = string | number | null;

/** A leaf of a table's tree: its head, the places of the rows, and the rows from the end on. */
function leafPage(rows: readonly (readonly Value[])[], start: number): Buffer {
  const page = Buffer.alloc(pageSize);
  let end = pageSize;
  rows.forEach((row, index) => {
    const payload = record(row);
    const cell = Buffer.concat([varint(payload.length), varint(index + 1), payload]);
    end -= cell.length;
    cell.copy(page, end);
    page.writeUInt16BE(end, start + 8 + index * 2);
  });
  page[start] = 0x0d;
  page.writeUInt16BE(rows.length, start + 3);
  page.writeUInt16BE(end, start + 5);
  return page;
}

/** Values behind the list of their types; numbers are small. */
function record(row: readonly Value[]): Buffer {
  const types = Buffer.concat(
    row.map((value) =>
      varint(value === null ? 0 : typeof value === "number" ? 1 : 13 + 2 * Buffer.byteLength(value))
    ),
  );
  const values = row.map((value) =>
    typeof value === "string" ? Buffer.from(value) : Buffer.from(value === null ? [] : [value])
  );
  return Buffer.concat([varint(types.length + 1), types, ...values]);
}

const varint = (value: number): Buffer =>
  Buffer.from(value < 128 ? [value] : [128 | value >> 7, value & 127]);
