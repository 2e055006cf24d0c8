/** A document of one page. */
import { Buffer } from "node:buffer";

/** PDF with one page that says this; the text holds no brackets. */
export function pdfDocument(text: string): Uint8Array {
  const page = `BT /F1 24 Tf 72 720 Td (${text}) Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${page.length} >>\nstream\n${page}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    `<< /Title (${text}) /Author (PTH) >>`,
  ];
  let document = "%PDF-1.4\n";
  const places = objects.map((object, index) => {
    const place = document.length;
    document += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const rows = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const start = document.length;
  return Buffer.from(
    `${document}xref\n0 ${size}\n0000000000 65535 f \n${rows}` +
      `trailer\n<< /Size ${size} /Root 1 0 R /Info 6 0 R >>\nstartxref\n${start}\n%%EOF\n`,
  );
}
