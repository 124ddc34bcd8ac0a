import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', ({ id, texts }: { id: number; texts: readonly string[] }) => {
  // Text that looks like a control token is still only text here.
  const counts = texts.map((text) => countTokens(text, { disallowedSpecial: new Set() }));
  parentPort?.postMessage({ id, counts });
});
