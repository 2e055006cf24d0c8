/** Text of a YAML file with a tag of some other program's. */
export class TaggedText {
  readonly tag: string;
  readonly text: string;

  constructor(tag: string, text: string) {
    this.tag = tag;
    this.text = text;
  }
}
