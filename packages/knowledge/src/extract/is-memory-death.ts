/** Whether a child process ended for lack of memory: the limit of the heap ends it with an abort, the kernel kills it. */
export function isMemoryDeath(killedBy: NodeJS.Signals | null): boolean {
  return killedBy === 'SIGABRT' || killedBy === 'SIGTRAP' || killedBy === 'SIGKILL';
}
