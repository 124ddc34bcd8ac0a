import ChartColumn from '@lucide/svelte/icons/chart-column';
import Cpu from '@lucide/svelte/icons/cpu';
import Gauge from '@lucide/svelte/icons/gauge';
import History from '@lucide/svelte/icons/history';
import KeyRound from '@lucide/svelte/icons/key-round';
import Landmark from '@lucide/svelte/icons/landmark';
import Mail from '@lucide/svelte/icons/mail';
import Plug from '@lucide/svelte/icons/plug';
import ShieldCheck from '@lucide/svelte/icons/shield-check';
import Users from '@lucide/svelte/icons/users';
import { m } from '#lib/paraglide/messages.js';

/** One page of an organisation's administration. */
export interface Section {
  readonly href: string;
  readonly label: string;
  /** What one does there. */
  readonly hint: string;
  readonly icon: typeof Users;
}

/** The pages of an organisation's administration, in the order of their navigation. */
export function listSections(): Section[] {
  const at = (path: string, label: string, hint: string, icon: typeof Users) => ({
    href: `/organization${path}`,
    label,
    hint,
    icon,
  });
  return [
    at('', m.admin_overview(), m.admin_overview_hint(), Landmark),
    at('/members', m.admin_members(), m.admin_members_hint(), Users),
    at('/invitations', m.admin_invitations(), m.admin_invitations_hint(), Mail),
    at('/models', m.admin_models(), m.admin_models_hint(), Cpu),
    at('/connections', m.admin_connections(), m.admin_connections_hint(), Plug),
    at('/usage', m.admin_usage(), m.admin_usage_hint(), ChartColumn),
    at('/budgets', m.admin_budgets(), m.admin_budgets_hint(), Gauge),
    at('/keys', m.admin_keys(), m.admin_keys_hint(), KeyRound),
    at('/policies', m.admin_policies(), m.admin_policies_hint(), ShieldCheck),
    at('/audit', m.admin_audit(), m.admin_audit_hint(), History),
  ];
}
