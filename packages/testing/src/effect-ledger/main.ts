import { parseArgs } from 'node:util';
import { runAsProcess } from '../http/run-as-process.ts';
import { startEffectLedger } from './start-effect-ledger.ts';

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });

runAsProcess(await startEffectLedger({ port: Number(values.port) }));
