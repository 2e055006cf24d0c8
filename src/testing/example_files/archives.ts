/** ZIP archives, and the office documents that are ones. */
import { Buffer } from "node:buffer";
import { crc32 } from "./crc32.ts";

/** 1980-01-01, the first day that the format knows. */
const day = 0x21;

/** ZIP archive of texts by path, stored as they are. */
export function zipArchive(files: Record<string, string>): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const [path, text] of Object.entries(files)) {
    const name = Buffer.from(path);
    const data = Buffer.from(text);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(day, 8);
    facts.writeUInt32LE(crc32(data), 10);
    facts.writeUInt32LE(data.length, 14);
    facts.writeUInt32LE(data.length, 18);
    facts.writeUInt16LE(name.length, 22);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(20, 4);
    facts.copy(entry, 6);
    entry.writeUInt32LE(offset, 42);
    directory.push(entry, name);
    const part = Buffer.concat([Buffer.from("PK\x03\x04"), facts, name, data]);
    parts.push(part);
    offset += part.length;
  }
  const count = Object.keys(files).length;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

const xml = (text: string): string => `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${text}`;
const office = "http://schemas.openxmlformats.org";
const relations = `${office}/package/2006/relationships`;
const types = `${office}/officeDocument/2006/relationships`;
const media = "application/vnd.openxmlformats-officedocument";

/** Parts that every office document has, which name its first one. */
const frame = (main: string, kinds: Record<string, string>): Record<string, string> => ({
  "[Content_Types].xml": xml(
    `<Types xmlns="${office}/package/2006/content-types">` +
      `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
      `<Default Extension="xml" ContentType="application/xml"/>${
        Object.entries(kinds).map(([path, kind]) =>
          `<Override PartName="/${path}" ContentType="${media}.${kind}+xml"/>`
        ).join("")
      }</Types>`,
  ),
  "_rels/.rels": related({ officeDocument: main }),
});

const related = (targets: Record<string, string>): string =>
  xml(
    `<Relationships xmlns="${relations}">${
      Object.entries(targets).map(([type, target], index) =>
        `<Relationship Id="rId${index + 1}" Type="${types}/${type}" Target="${target}"/>`
      ).join("")
    }</Relationships>`,
  );

/** Spreadsheet (XLSX) with one sheet, "Sheet1", of these rows. */
export function spreadsheet(rows: readonly (readonly (string | number)[])[]): Uint8Array {
  const cell = (value: string | number, row: number, column: number): string => {
    const at = `r="${"ABCDEFGH"[column]}${row + 1}"`;
    return typeof value === "number"
      ? `<c ${at}><v>${value}</v></c>`
      : `<c ${at} t="inlineStr"><is><t>${value}</t></is></c>`;
  };
  const data = rows.map((cells, row) =>
    `<row r="${row + 1}">${cells.map((value, column) => cell(value, row, column)).join("")}</row>`
  ).join("");
  const main = `${office}/spreadsheetml/2006/main`;
  const plain = (name: string, entry: string) => `<${name}s count="1"><${name}${entry}</${name}s>`;
  return zipArchive({
    ...frame("xl/workbook.xml", {
      "xl/workbook.xml": "spreadsheetml.sheet.main",
      "xl/worksheets/sheet1.xml": "spreadsheetml.worksheet",
      "xl/styles.xml": "spreadsheetml.styles",
    }),
    "xl/workbook.xml": xml(
      `<workbook xmlns="${main}" xmlns:r="${types}"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ),
    "xl/_rels/workbook.xml.rels": related({ worksheet: "worksheets/sheet1.xml", styles: "styles.xml" }),
    "xl/styles.xml": xml(
      `<styleSheet xmlns="${main}">${plain("font", `><sz val="11"/><name val="Calibri"/></font>`)}${
        plain("fill", `><patternFill patternType="none"/></fill>`)
      }${
        plain("border", "/>")
      }<cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="1"><xf xfId="0"/></cellXfs></styleSheet>`,
    ),
    "xl/worksheets/sheet1.xml": xml(
      `<worksheet xmlns="${main}"><dimension ref="A1:B${rows.length}"/><sheetData>${data}</sheetData></worksheet>`,
    ),
  });
}

/** Text document (DOCX) of these paragraphs. */
export function wordDocument(paragraphs: readonly string[]): Uint8Array {
  const body = paragraphs.map((text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`).join("");
  return zipArchive({
    ...frame("word/document.xml", { "word/document.xml": "wordprocessingml.document.main" }),
    "word/document.xml": xml(
      `<w:document xmlns:w="${office}/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
    ),
  });
}
