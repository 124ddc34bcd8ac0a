import { AppError } from '@lamb/contract';
import { expect, it } from 'vitest';
import { createSignInLimiter } from './create-sign-in-limiter.ts';

function start() {
  let time = 0;
  const limit = createSignInLimiter({ now: () => time });
  return {
    wait: (seconds: number) => {
      time += seconds * 1000;
    },
    /** How many of so many attempts are let through. */
    attempt(count: number, name: (index: number) => { account: string; address: string }): number {
      let passed = 0;
      for (let index = 0; index < count; index += 1) {
        try {
          limit(name(index));
          passed += 1;
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
          expect(error).toMatchObject({ code: 'rate_limited', details: { retry_after: expect.any(Number) } });
        }
      }
      return passed;
    },
  };
}

it('stops who guesses one account’s password, and lets them try again later', () => {
  const { attempt, wait } = start();
  expect(attempt(1000, () => ({ account: 'ada@x.test', address: '1.1.1.1' }))).toBe(20);
  wait(3);
  expect(attempt(10, () => ({ account: 'ada@x.test', address: '1.1.1.1' }))).toBe(1);
  wait(60);
  expect(attempt(1000, () => ({ account: 'ada@x.test', address: '1.1.1.1' }))).toBe(20);
});

it('takes the account for the same, however it is written', () => {
  const { attempt } = start();
  const spellings = ['ada@x.test', 'ADA@x.test', ' ada@x.test '];
  expect(attempt(60, (index) => ({ account: spellings[index % 3] ?? '', address: '1.1.1.1' }))).toBe(20);
});

it('does not lock the person out because somebody guesses elsewhere', () => {
  const { attempt } = start();
  attempt(1000, () => ({ account: 'ada@x.test', address: '6.6.6.6' }));
  expect(attempt(1, () => ({ account: 'ada@x.test', address: '1.1.1.1' }))).toBe(1);
});

it('stops guesses at one account from many addresses', () => {
  const { attempt } = start();
  expect(attempt(1000, (index) => ({ account: 'ada@x.test', address: `10.0.${index % 250}.1` }))).toBe(100);
});

it('stops guesses at many accounts from one address, after a whole class has signed in', () => {
  const { attempt } = start();
  expect(attempt(5000, (index) => ({ account: `student-${index}@x.test`, address: '1.1.1.1' }))).toBe(600);
});
