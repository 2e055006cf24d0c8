/** Small XML documents, built so that no value can become markup. */
import { PthError } from "../../core/errors.ts";

/** A piece of XML that is complete in itself. */
export class Xml {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

export type Attributes = Record<string, string | number | undefined>;
/** Text is escaped; what is absent leaves nothing. */
export type Child = Xml | string | number | undefined | false;

/**
 * An element with attributes (those without a value are left out) and children, in order.
 *
 * @example
 * ```ts
 * element("name", {}, "<odd> & sons").text; // <name>&lt;odd&gt; &amp; sons</name>
 * ```
 * @throws {PthError} `INVALID_INPUT` for control characters, which XML cannot hold
 */
export function element(name: string, attributes: Attributes = {}, ...children: Child[]): Xml {
  if (!/^[a-zA-Z_][\w.:-]*$/.test(name)) throw new TypeError(`"${name}" cannot name an element`);
  const attributeText = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}='${escape(String(value))}'`)
    .join("");
  const inner = children.map((child) => {
    if (child === undefined || child === false) return "";
    return child instanceof Xml ? child.text : escape(String(child));
  }).join("");
  return new Xml(inner === "" ? `<${name}${attributeText}/>` : `<${name}${attributeText}>${inner}</${name}>`);
}

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "'": "&apos;",
  '"': "&quot;",
};

function escape(text: string): string {
  // XML 1.0 has no way to write these, and a lone surrogate is no character.
  // deno-lint-ignore no-control-regex
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text) || !text.isWellFormed()) {
    throw new PthError(
      "INVALID_INPUT",
      `Cannot describe a machine: ${JSON.stringify(text)} holds control characters`,
      { next: ["Use names and paths without control characters"] },
    );
  }
  return text.replaceAll(/[&<>'"]/g, (mark) => entities[mark]!).replaceAll(
    /[\t\n\r]/g,
    (space) => `&#${space.charCodeAt(0)};`,
  );
}

/** The text between the first `<name …>` and its end, as libvirt wrote it; undefined where there is none. */
export function textOf(xml: string, name: string): string | undefined {
  const found = xml.match(new RegExp(`<${name}(?:\\s[^>]*)?>([^<]*)</${name}>`))?.[1];
  return found?.replaceAll(/&(lt|gt|amp|apos|quot);/g, (entity) => characters[entity]!);
}

const characters = Object.fromEntries(Object.entries(entities).map(([mark, entity]) => [entity, mark]));
