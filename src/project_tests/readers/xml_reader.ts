/** Reads XML as it is written, in bounded memory: reports of test programs, which hold what tests print. */
import { SaxesParser } from "saxes";

export interface XmlHandler {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  /** Text between tags or of a CDATA section; a long one comes in pieces. */
  text(text: string): void;
  close(name: string): void;
}

export interface XmlReader {
  /** Takes a piece cut anywhere. What is not well-formed is passed over as far as that goes; it never throws. */
  push(text: string): void;
}

const longestPiece = 32 * 1024;
/** A tag or comment of more characters is none that a framework writes: nothing behind it is read. */
const longestTag = 1024 * 1024;
const deepest = 200;
const cdataStart = "<![CDATA[";

export function createXmlReader(handler: XmlHandler): XmlReader {
  const parser = new SaxesParser();
  let depth = 0;
  let isDead = false;
  parser.on("error", () => undefined);
  parser.on("opentag", ({ name, attributes }) => {
    isDead ||= ++depth > deepest;
    if (!isDead) handler.open(name, attributes as Record<string, string>);
  });
  parser.on("closetag", ({ name }) => {
    depth--;
    if (!isDead) handler.close(name);
  });
  parser.on("text", (text) => handler.text(text));
  parser.on("cdata", (text) => handler.text(text));

  let state: "text" | "tag" | "cdata" = "text";
  /** Characters since the parser last passed a text on, or since the tag began. */
  let length = 0;
  let held = "";

  const write = (text: string): void => {
    if (text === "" || isDead) return;
    length += text.length;
    try {
      parser.write(text);
    } catch {
      // The parser throws only for what it cannot go on after.
      isDead = true;
    }
  };

  /** Passes text on up to `end`, cut where no entity can be: the parser keeps a text whole until a tag or comment follows. */
  const writeText = (text: string, end: number, from: number): void => {
    const [pattern, cut] = state === "cdata" ? [/[^\]]/g, `]]>${cdataStart}`] : [/[\s>]/g, "<!---->"];
    let start = from;
    while (length + (end - start) > longestPiece) {
      pattern.lastIndex = Math.max(start, start + longestPiece - length);
      const found = pattern.exec(text);
      const at = found === null || found.index >= end ? -1 : found.index;
      // Text of that length without any space is no sentence: it is cut where it is.
      const stop = at >= 0 ? at + 1 : end;
      write(text.slice(start, stop));
      if (at < 0 && length < 4 * longestPiece) return;
      write(cut);
      length = 0;
      start = stop;
      if (start >= end) return;
    }
    write(text.slice(start, end));
  };

  return {
    push(piece) {
      const text = held + piece;
      held = "";
      for (let at = 0; at < text.length && !isDead;) {
        if (state === "text") {
          const tag = text.indexOf("<", at);
          writeText(text, tag < 0 ? text.length : tag, at);
          if (tag < 0) return;
          const start = text.slice(tag, tag + cdataStart.length);
          if (start.length < cdataStart.length && cdataStart.startsWith(start)) {
            held = start;
            return;
          }
          state = start === cdataStart ? "cdata" : "tag";
          if (state === "cdata") write(cdataStart);
          length = 0;
          at = state === "cdata" ? tag + cdataStart.length : tag;
        } else {
          const mark = state === "tag" ? ">" : "]]>";
          const end = text.indexOf(mark, at);
          if (end < 0) {
            // The begin of the mark may be at the end of the piece.
            const open = state === "tag" ? "" : /\]{0,2}$/.exec(text.slice(at))![0];
            const stop = text.length - open.length;
            if (state === "tag") write(text.slice(at, stop));
            else writeText(text, stop, at);
            held = open;
            isDead ||= state === "tag" && length > longestTag;
            return;
          }
          if (state === "tag") write(text.slice(at, end + 1));
          else {
            writeText(text, end, at);
            write(mark);
          }
          at = end + mark.length;
          state = "text";
          length = 0;
        }
      }
    },
  };
}
