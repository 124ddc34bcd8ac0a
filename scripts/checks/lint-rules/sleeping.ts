import { banSyntax } from './ban-syntax.ts';

const timer = "NewExpression[callee.name='Promise'] > :function CallExpression[callee.name='setTimeout']";

/**
 * A test waits for what it expects, not for a time. A timer that brings a value is a slow stand-in and stays allowed:
 * `new Promise((resolve) => setTimeout(() => resolve('late'), 60))`; so does one that rejects.
 */
export const sleeping = banSyntax(
  'A test that sleeps is slow when it passes and fails on a busy machine. Await the event, promise or stream that ' +
    'tells that it happened, use `vi.waitFor`, or advance `vi.useFakeTimers()`.',
  [
    `${timer}[arguments.length<3] > Identifier.arguments:first-child:not([name=/^reject/])`,
    `${timer} > :function CallExpression[callee.type='Identifier']:not([callee.name=/^reject/])[arguments.length=0]`,
    'ImportDeclaration[source.value=/^(node:)?timers\\u002Fpromises$/] > ImportSpecifier[imported.name=/^(setTimeout|scheduler)$/]',
  ],
);
