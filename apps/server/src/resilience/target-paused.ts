import { ToolFailure } from '@lamb/plugin-kit';

/** Thrown instead of a call while its target is left alone after repeated failures. */
export class TargetPaused extends ToolFailure {
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super(`It is paused for ${String(retryAfterSeconds)} seconds after repeated failures.`);
    this.name = 'TargetPaused';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
