/** What of an output is kept: its beginning and its end, never more, however much comes. */
export class Output {
  readonly #headBytes: number;
  readonly #tailBytes: number;
  #head: Buffer[] = [];
  #headFilled = 0;
  #tail: Buffer[] = [];
  #tailFilled = 0;
  #bytes = 0;

  constructor(bytes: number) {
    this.#headBytes = Math.ceil(bytes / 2);
    this.#tailBytes = Math.floor(bytes / 2);
  }

  /** How much has come. */
  get bytes(): number {
    return this.#bytes;
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const room = this.#headBytes - this.#headFilled;
    const first = chunk.subarray(0, room);
    if (first.length > 0) this.#head.push(first);
    this.#headFilled += first.length;
    const rest = chunk.subarray(first.length);
    if (rest.length > 0) this.#keepLast(rest);
  }

  /** The last whole or begun line that has something on it. */
  lastLine(): string {
    const lines = shown((this.#tail.at(-1) ?? this.#head.at(-1) ?? Buffer.alloc(0)).subarray(-2_000).toString('utf8')).split('\n');
    return lines.findLast((line) => line.trim() !== '') ?? '';
  }

  /** The kept bytes as they came. */
  raw(): Buffer {
    return Buffer.concat([...this.#head, ...this.#tail]);
  }

  /** As a model may read it: without colours and overwritten lines, and without what is no text at all. */
  text(): string {
    const [head, tail] = [Buffer.concat(this.#head), Buffer.concat(this.#tail)];
    const left = this.#bytes - head.length - tail.length;
    if (isBinary(head)) return `[${this.#bytes} bytes that are not text; send them to a file to use them]\n`;
    if (left === 0) return shown(Buffer.concat([head, tail]).toString('utf8'));
    const [before, after] = [head.toString('utf8').replace(/\ufffd+$/, ''), tail.toString('utf8').replace(/^\ufffd+/, '')];
    return `${shown(before)}\n[${left} bytes left out here]\n${shown(after)}`;
  }

  /** Whole chunks are let go from the front; the first that stays is cut. */
  #keepLast(chunk: Buffer): void {
    this.#tail.push(chunk);
    this.#tailFilled += chunk.length;
    for (let over = this.#tailFilled - this.#tailBytes; over > 0; over = this.#tailFilled - this.#tailBytes) {
      const first = this.#tail[0];
      if (first === undefined) return;
      if (first.length <= over) this.#tail.shift();
      else this.#tail[0] = first.subarray(over);
      this.#tailFilled -= Math.min(over, first.length);
    }
  }
}

/** Colours, titles and moves of a terminal. */
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[()#][0-9A-Za-z]|[ -~])/g;

function shown(text: string): string {
  const plain = text.replace(ESCAPES, '').replaceAll('\r\n', '\n');
  const last = plain.includes('\r') ? plain.split('\n').map(lastOverwrite).join('\n') : plain;
  return last.replaceAll('\0', '\u2400').replace(/[\u0001-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f]/g, '');
}

/** A line that was written over shows what was written last. */
function lastOverwrite(line: string): string {
  const rest = line.replace(/\r+$/, '');
  return rest.slice(rest.lastIndexOf('\r') + 1);
}

const LOOKED_AT = 8_192;

/** More than a tenth of it is neither text nor a NUL that parts names. */
function isBinary(bytes: Buffer): boolean {
  const text = bytes
    .subarray(0, LOOKED_AT)
    .toString('utf8')
    .replace(/\ufffd+$/, '');
  const odd = text.match(/[\ufffd\u0001-\u0007\u000e-\u001a\u001c-\u001f]/g)?.length ?? 0;
  return (
    odd > text.length / 10 ||
    (text.includes('\0') && text.split('\0').some((part, at, all) => part === '' && at < all.length - 1 && at > 0))
  );
}
