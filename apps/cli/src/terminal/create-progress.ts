import type { Output } from '../command.ts';
import { stripControls } from './strip-controls.ts';

/** What is shown while something is under way. */
export interface Progress {
  /** How far it is; `text` says what is being done. */
  show(done: number, total: number, text: string): void;
  /** Writes a line that stays. */
  say(line: string): void;
  /** Takes the bar away. */
  end(): void;
}

const BAR_WIDTH = 24;

/** A bar that is drawn over itself on a terminal; elsewhere one line for each thing that is said, and no bar. */
export function createProgress(output: Output): Progress {
  const isTerminal = output.isTTY === true;
  const clear = () => isTerminal && output.write('\r\u001b[K');
  return {
    show(done, total, text) {
      if (!isTerminal) return;
      const filled = total === 0 ? 0 : Math.round((BAR_WIDTH * Math.min(done, total)) / total);
      const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`;
      const line = `${bar} ${String(done)}/${String(total)} ${stripControls(text)}`;
      clear();
      // A line that wraps cannot be drawn over.
      output.write(line.slice(0, (output.columns ?? 80) - 1));
    },
    say(line) {
      clear();
      output.write(`${stripControls(line)}\n`);
    },
    end: () => void clear(),
  };
}
