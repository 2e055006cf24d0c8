/** A document of a few pages. */
import { Buffer } from "node:buffer";

/** PDF with a page for each text; none holds brackets. */
export function pdfDocument(texts: readonly string[]): Uint8Array {
  // Catalogue, pages and font come first; then two objects for each page.
  const pages = texts.map((_, index) => `${4 + index * 2} 0 R`);
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${pages.join(" ")}] /Count ${texts.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...texts.flatMap((text, index) => {
      const content = `BT /F1 24 Tf 72 720 Td (${text}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + index * 2} 0 R ` +
        "/Resources << /Font << /F1 3 0 R >> >> >>",
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
    `<< /Title (${texts[0]}) /Author (PTH) >>`,
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
      `trailer\n<< /Size ${size} /Root 1 0 R /Info ${objects.length} 0 R >>\nstartxref\n${start}\n%%EOF\n`,
  );
}
