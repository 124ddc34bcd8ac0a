import { setTimeout as wait } from 'node:timers/promises';
import { checkInvariants, type Finding, type Observed } from './check-invariants.ts';
import { collectFacts, countConnections, readLeftovers } from './collect-facts.ts';
import { createRandom } from './create-random.ts';
import { followRun } from './follow-run.ts';
import { openWorld, type World } from './open-world.ts';
import { startNumberedRun } from './start-numbered-run.ts';

export interface ChaosOptions {
  readonly runs: number;
  readonly kills: number;
  readonly seed: number;
  readonly databaseRestarts: number;
  /** Bugs to plant, named after the invariant that must then fail. */
  readonly plants: readonly string[];
  readonly say: (line: string) => void;
}

/** Between two kills, on average; a server needs a few seconds to be back. */
const PAUSE_MS = 3500;
/** Between two starts, at least. */
const SPACING_MS = 60;
/** After the last kill, everything must have ended by then. */
const PATIENCE_MS = 90_000;
const PATIENCE_WITH_BUGS_MS = 25_000;

/** Runs under fire: starts runs on two servers, kills both at random, crashes the database, and says what held. */
export async function chaosRuns(options: ChaosOptions): Promise<Finding[]> {
  const { runs, seed, kills, plants, say } = options;
  const world = await openWorld(plants);
  say(
    `seed=${seed} runs=${runs} kills=${kills} planted=${plants.join(',') || 'nothing'} servers' log: ${world.logFile}`,
  );
  let keepLog = plants.length === 0;
  try {
    const started = performance.now();
    const { observed, giveUpAt } = await loadAndKill(world, options);
    const isCalm = async () => {
      const { leases, workflows } = await readLeftovers(world);
      return leases === 0 && workflows === 0;
    };
    while (!(await isCalm()) && performance.now() < giveUpAt) await wait(250);
    const facts = await collectFacts(world);
    const deaths = world.servers.map((server) => server.deaths);
    const leaveMs = Math.max(...(await Promise.all(world.servers.map((server) => server.stop()))));
    const connections = await countConnections(world);
    const findings = checkInvariants({ wanted: runs, observed, facts, crashes: world.crashes, connections, leaveMs });
    for (const { name, holds, seen } of findings) say(`${holds ? 'ok  ' : 'FAIL'} ${name}: ${seen}`);
    say(`servers died ${deaths.join(' + ')} times, ${((performance.now() - started) / 1000).toFixed(0)} s`);
    keepLog &&= findings.some(({ holds }) => !holds);
    return findings;
  } finally {
    await world.close({ keepLog });
  }
}

function patienceOf({ plants }: ChaosOptions): number {
  return plants.length === 0 ? PATIENCE_MS : PATIENCE_WITH_BUGS_MS;
}

interface Load {
  readonly observed: Observed[];
  /** When everything must have ended. */
  readonly giveUpAt: number;
}

async function loadAndKill(world: World, options: ChaosOptions): Promise<Load> {
  const { runs, kills, seed } = options;
  const over = new AbortController();
  const spacing = Math.max(SPACING_MS, (kills * PAUSE_MS) / runs);
  const killing = killAtRandom(world, options);
  const following = Array.from({ length: runs }, async (_, number): Promise<Observed | undefined> => {
    await wait(number * spacing);
    // Its own, so that what one client does changes nothing for the others.
    const random = createRandom(seed * 10_007 + number);
    const run = await startNumberedRun(world, number, random, over.signal);
    return run && { ...run, followed: await followRun(world, run.runId, run.server + 1, random, over.signal) };
  });
  await Promise.all([killing, wait(runs * spacing)]);
  const patience = patienceOf(options);
  const giveUpAt = performance.now() + patience;
  const timer = setTimeout(() => {
    over.abort();
  }, patience);
  const observed = await Promise.all(following);
  clearTimeout(timer);
  return { observed: observed.filter((run) => run !== undefined), giveUpAt };
}

async function killAtRandom(world: World, { kills, seed, databaseRestarts }: ChaosOptions): Promise<void> {
  const random = createRandom(seed);
  const restarts = new Set(
    Array.from({ length: databaseRestarts }, (_, index) => Math.floor(((index + 1) * kills) / (databaseRestarts + 1))),
  );
  for (let kill = 0; kill < kills;) {
    await wait(PAUSE_MS * (0.5 + random()));
    if (restarts.delete(kill)) await world.restartDatabase();
    const [first, second] = random() < 0.5 ? world.servers : [world.servers[1], world.servers[0]];
    if (first.kill() || second.kill()) kill += 1;
  }
  for (let left = restarts.size; left > 0; left -= 1) await world.restartDatabase();
}
