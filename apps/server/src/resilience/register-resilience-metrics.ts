import { Counter, Gauge, type Registry } from 'prom-client';
import type { BreakerState } from './create-breaker.ts';

/** What a figure may say of a target. Addresses and organisations are not for everybody who reads the figures. */
export interface TargetLabels {
  readonly kind: string;
  readonly connector: string;
}

/** Registers the figures of breakers and retries; `listBreakers` is asked whenever they are read. */
export function registerResilienceMetrics(
  registry: Registry,
  listBreakers: () => Iterable<TargetLabels & { readonly state: BreakerState }>,
) {
  const registers = [registry];
  const labelNames = ['kind', 'connector'] as const;
  new Gauge({
    name: 'lamb_breakers',
    help: 'Targets that were called lately, by the state of their breaker.',
    labelNames: [...labelNames, 'state'] as const,
    registers,
    collect() {
      this.reset();
      for (const { kind, connector, state } of listBreakers()) this.inc({ kind, connector, state });
    },
  });
  return {
    openings: new Counter({
      name: 'lamb_breaker_openings_total',
      help: 'How often a target was paused after repeated failures.',
      labelNames,
      registers,
    }),
    refusals: new Counter({
      name: 'lamb_breaker_refusals_total',
      help: 'Calls that were not made because their target was paused.',
      labelNames,
      registers,
    }),
    retries: new Counter({
      name: 'lamb_retries_total',
      help: 'Attempts after the first one of a call.',
      labelNames,
      registers,
    }),
  };
}
