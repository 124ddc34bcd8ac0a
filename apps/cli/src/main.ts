#!/usr/bin/env node
import { readConfig } from './config.ts';
import { runCli } from './run-cli.ts';

const interrupted = new AbortController();
process.once('SIGINT', () => {
  interrupted.abort();
});

process.exitCode = await runCli(process.argv.slice(2), {
  config: readConfig(process.env),
  stdout: process.stdout,
  stderr: process.stderr,
  signal: interrupted.signal,
});
