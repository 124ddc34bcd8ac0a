/**
 * Loaded by our child processes before anything else. Who stops a server sends its signal to all of its processes, and a
 * document is not to blame for it: these end when their server lets go of them, or kills them.
 */
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);
