const ALIGNMENT = 32;
const TYPE = { float32: 6, string: 8 } as const;

/**
 * A LoRA adapter of rank 1 for one matrix of a `llama` model, as a GGUF file of version 3. Both factors are alternating ±√scale, so that scale 0
 * changes nothing. Source: the GGUF specification, and what llama.cpp's adapter loader looks for.
 */
export function loraGguf(options: { tensor: string; inputs: number; outputs: number; scale: number }): Buffer {
  const tensors = [
    {
      name: `${options.tensor}.lora_a`,
      dimensions: [options.inputs, 1],
      values: alternating(options.inputs, options.scale),
    },
    {
      name: `${options.tensor}.lora_b`,
      dimensions: [1, options.outputs],
      values: alternating(options.outputs, options.scale),
    },
  ];
  const metadata = [
    text('general.type', 'adapter'),
    text('general.architecture', 'llama'),
    text('adapter.type', 'lora'),
    [string('adapter.lora.alpha'), unsigned32(TYPE.float32), float32(1)],
  ];
  let offset = 0;
  const infos = tensors.map(({ name, dimensions, values }) => {
    const info = [
      string(name),
      unsigned32(dimensions.length),
      ...dimensions.map(unsigned64),
      unsigned32(0),
      unsigned64(offset),
    ];
    offset += padded(values.length);
    return info;
  });
  const header = [
    Buffer.from('GGUF'),
    unsigned32(3),
    unsigned64(tensors.length),
    unsigned64(metadata.length),
    ...metadata.flat(),
    ...infos.flat(),
  ];
  return Buffer.concat([pad(Buffer.concat(header)), ...tensors.map(({ values }) => pad(values))]);
}

function alternating(length: number, scale: number): Buffer {
  const values = Float32Array.from({ length }, (_, index) => (index % 2 === 0 ? 1 : -1) * Math.sqrt(scale));
  return Buffer.from(values.buffer);
}

function text(key: string, value: string): Buffer[] {
  return [string(key), unsigned32(TYPE.string), string(value)];
}

function string(value: string): Buffer {
  return Buffer.concat([unsigned64(Buffer.byteLength(value)), Buffer.from(value)]);
}

function unsigned32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}

function unsigned64(value: number): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt(value));
  return buffer;
}

function float32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeFloatLE(value);
  return buffer;
}

function padded(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}

function pad(buffer: Buffer): Buffer {
  return Buffer.concat([buffer, Buffer.alloc(padded(buffer.length) - buffer.length)]);
}
