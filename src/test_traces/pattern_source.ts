/**
 * Makes the source of a regular expression, for JavaScript and Python alike, from a pattern of functions.
 *
 * `*` and `?` stand for any text and any character; `::` and `.` for each other. A pattern fits a whole qualified name, or the end of
 * one from a name between separators on: `parse` and `Parser.parse` fit `app.Parser.parse`, and `arse` does not.
 */
export function patternSource(pattern: string): string {
  const parts = pattern.split(/(::|\.|\*|\?)/).map((part) => {
    if (part === "::" || part === ".") return "(?:::|\\.)";
    if (part === "*") return ".*";
    if (part === "?") return ".";
    return part.replace(/[\\^$+()[\]{}|/]/g, "\\$&");
  });
  return `(?:^|::|[.#/])${parts.join("")}$`;
}
