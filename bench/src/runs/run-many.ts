/** Keeps `concurrent` runs under way until `count` are done; gives how many that were a second. */
export async function runMany(count: number, concurrent: number, runOne: () => Promise<void>): Promise<number> {
  let started = 0;
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: concurrent }, async () => {
      while (started < count) {
        started += 1;
        await runOne();
      }
    }),
  );
  return count / ((performance.now() - begin) / 1000);
}
