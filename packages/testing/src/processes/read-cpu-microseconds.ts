import { readFile } from 'node:fs/promises';

const TICKS_PER_SECOND = 100;

/** The CPU time a process has used so far, in microseconds (Linux). */
export async function readCpuMicroseconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${String(pid)}/stat`, 'utf8');
  // The name in parentheses may contain spaces; the fields after it are what proc(5) numbers from 3.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return ((user + system) * 1_000_000) / TICKS_PER_SECOND;
}
