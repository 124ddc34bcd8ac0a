import { m } from '#lib/paraglide/messages.js';
import type { Budgets, Prices } from './budgets-query.ts';
import { readSetup, type ConfigResource } from './config-query.ts';
import type { Provider } from './providers-query.ts';

/** Something that an administrator should see to. */
interface Task {
  readonly text: string;
  readonly href: string;
  /** Whether assistants do not answer until then. */
  readonly isUrgent: boolean;
}

const NEARLY = 0.8;

/** What is missing or about to run out in an organisation, the most urgent first. */
export function findTasks({
  config,
  providers,
  budgets,
  prices,
}: {
  config: ConfigResource;
  providers: readonly Provider[];
  budgets: Budgets;
  prices: Prices;
}): Task[] {
  const setup = readSetup(config);
  const used = providers.filter(({ configured, enabled }) => configured && enabled);
  const keyless = used.filter((each) => each.requires.includes('api_key') && !each.has_key);
  const shares = (['tokens', 'cost_micros'] as const).flatMap((which) => {
    const cap = budgets.organization[which];
    return cap === null ? [] : [cap === 0 ? 1 : budgets.used[which] / cap];
  });
  const share = Math.max(0, ...shares);
  const hasKnowledge =
    setup?.knowledge_base?.embedding !== undefined ||
    [config.config.kb_server?.url, setup?.knowledge_base?.server_url].some((url) => (url ?? '') !== '');
  const models = '/organization/models';
  const tasks: (Task | false)[] = [
    used.length === 0 && { text: m.admin_task_provider(), href: models, isUrgent: true },
    keyless.length > 0 && {
      text: m.admin_task_key({ providers: keyless.map(({ title }) => title).join(', ') }),
      href: models,
      isUrgent: true,
    },
    share >= 1 && { text: m.admin_task_cap_reached(), href: '/organization/budgets', isUrgent: true },
    used.length > 0 && !setup?.global_default_model && { text: m.admin_task_model(), href: models, isUrgent: true },
    share >= NEARLY && share < 1 && { text: m.admin_task_cap_near(), href: '/organization/budgets', isUrgent: false },
    !hasKnowledge && { text: m.admin_task_embedding(), href: '/organization/connections', isUrgent: false },
    prices.unpriced.length > 0 && {
      text: m.admin_task_prices({ count: prices.unpriced.length }),
      href: '/organization/budgets',
      isUrgent: false,
    },
  ];
  return tasks.filter((task) => task !== false);
}
