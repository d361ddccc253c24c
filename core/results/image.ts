import type { ImageBlock, ResultBlock } from '../message.ts';

/** What endpoints take: of one image, its base64 text in code units and each side in pixels; of one result, how many. */
const MAX_CHARS = 5_000_000;
const MAX_PIXELS = 8_000;
const MAX_IMAGES = 20;

/** Blocks whose images an endpoint takes: each that it would refuse is a line that says why, and the rest stays. */
export function boundImages(blocks: readonly ResultBlock[]): readonly ResultBlock[] {
  let images = 0;
  return blocks.map((block) => {
    if (block.type !== 'image') return block;
    const seen = look(block);
    const why = complaint(block, seen) ?? (++images > MAX_IMAGES ? `a result may have ${MAX_IMAGES} of them` : undefined);
    if (why !== undefined) return { type: 'text', text: `[An image that is not shown: ${why}]` };
    return seen?.mediaType === block.source.media_type ? block : withType(block, seen?.mediaType ?? '');
  });
}

interface Seen {
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
}

function complaint({ source }: ImageBlock, seen: Seen | undefined): string | undefined {
  if (source.data.length > MAX_CHARS) return `it has ${source.data.length} characters of base64, at most ${MAX_CHARS} can be sent`;
  if (seen === undefined) return 'it is no PNG, JPEG, GIF or WebP image, or a broken one';
  const { width, height } = seen;
  return Math.max(width, height) > MAX_PIXELS ? `it has ${width} x ${height} pixels, at most ${MAX_PIXELS} a side can be sent` : undefined;
}

function withType(block: ImageBlock, mediaType: string): ImageBlock {
  return { ...block, source: { ...block.source, media_type: mediaType } };
}

/** Type and size as the bytes have them: what a tool says of its image may be wrong. */
function look({ source }: ImageBlock): Seen | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(source.data)) return undefined;
  const bytes = Buffer.from(source.data, 'base64');
  try {
    const size = sizeOf(bytes);
    return size && size.width > 0 && size.height > 0 ? size : undefined;
  } catch {
    return undefined;
  }
}

function sizeOf(bytes: Buffer): Seen | undefined {
  const ascii = (from: number, to: number) => bytes.toString('latin1', from, to);
  if (ascii(1, 4) === 'PNG' && ascii(12, 16) === 'IHDR')
    return { mediaType: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (/^GIF8[79]a$/.test(ascii(0, 6))) return { mediaType: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  if (ascii(0, 4) === 'RIFF' && ascii(8, 12) === 'WEBP') return webpSize(bytes, ascii(12, 16));
  return bytes.readUInt16BE(0) === 0xffd8 ? jpegSize(bytes) : undefined;
}

function webpSize(bytes: Buffer, chunk: string): Seen | undefined {
  const mediaType = 'image/webp';
  if (chunk === 'VP8X') return { mediaType, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (chunk === 'VP8 ') return { mediaType, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (chunk !== 'VP8L') return undefined;
  const packed = bytes.readUInt32LE(21);
  return { mediaType, width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
}

/** The frame header stands behind any number of other segments. */
function jpegSize(bytes: Buffer): Seen | undefined {
  for (let at = 2; bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { mediaType: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
  }
  return undefined;
}
