/** A compiled module; it can be sent to threads. */
export type WebAssemblyModule = { readonly __webAssemblyModule: true };
/** Linear memory of an instance. `maximum` pages (64 KiB) cannot be passed from inside. */
export interface WebAssemblyMemory {
  readonly buffer: ArrayBuffer;
}

/** Node's types know no WebAssembly without those of a browser. */
export const webAssembly = (
  globalThis as unknown as {
    WebAssembly: {
      compile(bytes: Uint8Array): Promise<WebAssemblyModule>;
      Memory: new (size: { initial: number; maximum: number }) => WebAssemblyMemory;
    };
  }
).WebAssembly;
