import { readdir, readFile } from 'node:fs/promises';

const TICKS_PER_SECOND = 100;

interface Entry {
  readonly parent: number;
  /** Its own, and that of its children that have ended. */
  readonly seconds: number;
}

/** The CPU seconds that a process and all of its descendants have used, those that have ended included (Linux). */
export async function readFamilyCpu(pid: number): Promise<{ readonly own: number; readonly descendants: number }> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const entries = new Map<number, Entry>();
  let own = 0;
  await Promise.all(
    names.map(async (name) => {
      const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const ticks = (from: number, to: number) => fields.slice(from, to).reduce((sum, each) => sum + Number(each), 0);
      if (Number(name) === pid) own = ticks(11, 13) / TICKS_PER_SECOND;
      if (stat !== '')
        entries.set(Number(name), { parent: Number(fields[1]), seconds: ticks(11, 15) / TICKS_PER_SECOND });
    }),
  );
  const isOfFamily = (each: number): boolean => {
    for (let at: number | undefined = each; at !== undefined && at > 1; at = entries.get(at)?.parent) {
      if (at === pid) return true;
    }
    return false;
  };
  const all = [...entries].filter(([each]) => isOfFamily(each)).reduce((sum, [, { seconds }]) => sum + seconds, 0);
  return { own, descendants: all - own };
}
