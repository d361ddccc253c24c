import type { ImageBlock } from 'pegboard';

/** An image as a tool gives it. */
export function imageBlock(bytes: Buffer, mediaType: string): ImageBlock {
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: bytes.toString('base64') } };
}

/** The beginning of a PNG of this size: all that tells what it is. */
export function pngBytes(width: number, height: number): Buffer {
  const header = Buffer.alloc(33);
  header.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
  header.write('IHDR', 12, 'latin1');
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return header;
}

/** The same of a JPEG, behind a segment as cameras put it there. */
export function jpegBytes(width: number, height: number): Buffer {
  const frame = Buffer.from([0xff, 0xc0, 0, 17, 8, 0, 0, 0, 0, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0, 6, 1, 2, 3, 4]), frame]);
}

/** The same of a GIF. */
export function gifBytes(width: number, height: number): Buffer {
  const header = Buffer.from('GIF89a0000', 'latin1');
  header.writeUInt16LE(width, 6);
  header.writeUInt16LE(height, 8);
  return header;
}

/** The same of a WebP with extended header. */
export function webpBytes(width: number, height: number): Buffer {
  const header = Buffer.alloc(30);
  header.write('RIFF0000WEBPVP8X', 'latin1');
  header.writeUIntLE(width - 1, 24, 3);
  header.writeUIntLE(height - 1, 27, 3);
  return header;
}
