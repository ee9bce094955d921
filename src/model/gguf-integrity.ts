import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { CoHarnessError, errorMessage } from '../base/errors.ts';

/** Tensor type id → [values per block, bytes per block]. Source: ggml's type table, by way of `gguf.GGML_QUANT_SIZES` 0.19. */
const BLOCKS: Readonly<Record<number, readonly [number, number]>> = {
  0: [1, 4],
  1: [1, 2],
  2: [32, 18],
  3: [32, 20],
  6: [32, 22],
  7: [32, 24],
  8: [32, 34],
  9: [32, 40],
  10: [256, 84],
  11: [256, 110],
  12: [256, 144],
  13: [256, 176],
  14: [256, 210],
  15: [256, 292],
  16: [256, 66],
  17: [256, 74],
  18: [256, 98],
  19: [256, 50],
  20: [32, 18],
  21: [256, 110],
  22: [256, 82],
  23: [256, 136],
  24: [1, 1],
  25: [1, 2],
  26: [1, 4],
  27: [1, 8],
  28: [1, 8],
  29: [256, 56],
  30: [1, 2],
  34: [256, 54],
  35: [256, 66],
  39: [32, 17],
  40: [64, 36],
  41: [128, 18],
};
/** Metadata value type id → bytes; 8 is a string, 9 an array. */
const SCALAR_BYTES: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};
const CHUNK_BYTES = 1 << 20;
const MOST_ENTRIES = 1_000_000;

class EndOfFile extends Error {}

/** Reads forward through a file without holding it in memory. */
class FileCursor {
  private position = 0;
  private chunk = Buffer.alloc(0);
  private chunkStart = 0;
  private readonly descriptor: number;
  private readonly size: number;

  constructor(descriptor: number, size: number) {
    this.descriptor = descriptor;
    this.size = size;
  }

  get offset(): number {
    return this.position;
  }

  skip(bytes: number): void {
    if (this.position + bytes > this.size) throw new EndOfFile();
    this.position += bytes;
  }

  take(bytes: number): Buffer {
    if (this.position + bytes > this.size) throw new EndOfFile();
    const from = this.position - this.chunkStart;
    if (from < 0 || from + bytes > this.chunk.length) {
      const buffer = Buffer.alloc(Math.min(Math.max(bytes, CHUNK_BYTES), this.size - this.position));
      readSync(this.descriptor, buffer, 0, buffer.length, this.position);
      this.chunk = buffer;
      this.chunkStart = this.position;
    }
    const start = this.position - this.chunkStart;
    this.position += bytes;
    return this.chunk.subarray(start, start + bytes);
  }

  unsigned32(): number {
    return this.take(4).readUInt32LE();
  }

  unsigned64(): number {
    const value = this.take(8).readBigUInt64LE();
    // A size beyond 2^53 can only be garbage: the data it promises is past the end of any file.
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new EndOfFile();
    return Number(value);
  }

  text(): string {
    return this.take(this.unsigned64()).toString('utf8');
  }
}

function skipValue(cursor: FileCursor, type: number): unknown {
  const bytes = SCALAR_BYTES[type];
  if (bytes !== undefined) {
    const raw = cursor.take(bytes);
    return type === 4 ? raw.readUInt32LE() : undefined;
  }
  if (type === 8) {
    cursor.skip(cursor.unsigned64());
    return undefined;
  }
  if (type !== 9) throw new EndOfFile();
  const elementType = cursor.unsigned32();
  const count = cursor.unsigned64();
  const elementBytes = SCALAR_BYTES[elementType];
  if (elementBytes !== undefined) cursor.skip(elementBytes * count);
  else for (let index = 0; index < count; index++) skipValue(cursor, elementType);
  return undefined;
}

/** File offset at which the last tensor ends, from the header alone. */
function endOfTensorData(cursor: FileCursor): number {
  const tensorCount = cursor.unsigned64();
  const keyCount = cursor.unsigned64();
  if (tensorCount > MOST_ENTRIES || keyCount > MOST_ENTRIES) throw new EndOfFile();
  let alignment = 32;
  for (let index = 0; index < keyCount; index++) {
    const key = cursor.text();
    const value = skipValue(cursor, cursor.unsigned32());
    if (key === 'general.alignment' && typeof value === 'number' && value > 0) alignment = value;
  }
  let furthest = 0;
  for (let index = 0; index < tensorCount; index++) {
    cursor.skip(cursor.unsigned64());
    const dimensions = cursor.unsigned32();
    let values = 1;
    for (let axis = 0; axis < dimensions; axis++) values *= cursor.unsigned64();
    const [perBlock, bytesPerBlock] = BLOCKS[cursor.unsigned32()] ?? [1, 0];
    furthest = Math.max(furthest, cursor.unsigned64() + Math.ceil(values / perBlock) * bytesPerBlock);
  }
  return Math.ceil(cursor.offset / alignment) * alignment + furthest;
}

function damaged(file: string, problem: string, cause?: unknown): CoHarnessError {
  return new CoHarnessError(
    'model-damaged',
    `${file} ${problem}. Delete it and fetch it again (co-harness setup), or name another model source.`,
    { details: { file }, ...(cause === undefined ? {} : { cause }) },
  );
}

/**
 * Checks that `file` is a GGUF whose tensors all lie inside it. Reads the header only, whatever the size of the model.
 * Throws CoHarnessError `model-missing` (no such file) or `model-damaged` (another format, or cut short: names both sizes).
 */
export function checkGgufIntegrity(file: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (cause) {
    throw new CoHarnessError(
      'model-missing',
      `Cannot open the model file ${file}: ${errorMessage(cause)}. Check the path.`,
      {
        details: { file },
        cause,
      },
    );
  }
  try {
    const entry = fstatSync(descriptor);
    if (!entry.isFile()) throw damaged(file, 'is not a file');
    const { size } = entry;
    const cursor = new FileCursor(descriptor, size);
    if (size < 8 || cursor.take(4).toString('latin1') !== 'GGUF') {
      throw damaged(file, 'is not a GGUF file: it does not begin with the letters GGUF');
    }
    const version = cursor.unsigned32();
    if (version < 2 || version > 3)
      throw damaged(file, `is a GGUF of version ${version}; versions 2 and 3 can be read`);
    let end: number;
    try {
      end = endOfTensorData(cursor);
    } catch (cause) {
      if (!(cause instanceof EndOfFile)) throw cause;
      throw damaged(file, `is cut short: its ${size} bytes end inside the header`, cause);
    }
    if (end > size) throw damaged(file, `is cut short: it has ${size} bytes, its tensors need ${end}`);
  } finally {
    closeSync(descriptor);
  }
}
