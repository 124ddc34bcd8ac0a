/** What reading one document may cost. */
export interface ExtractionLimits {
  /** After this the child process is killed. */
  milliseconds: number;
  /** Heap of the child process. Buffers are outside of it, hence the second limit. */
  heapMegabytes: number;
  /** Everything the child process keeps in memory. */
  memoryMegabytes: number;
  /** What the texts inside of an archive (DOCX, PPTX, XLSX, ODT) may come to. */
  unpackedBytes: number;
  /** What the child process may hand back: the server holds it in memory several times while it is kept and cut. */
  outputBytes: number;
}

export const defaultExtractionLimits: ExtractionLimits = {
  milliseconds: 120_000,
  heapMegabytes: 768,
  memoryMegabytes: 1024,
  unpackedBytes: 128 * 1024 * 1024,
  outputBytes: 16 * 1024 * 1024,
};
