import { expect, test } from 'vitest';
import { readProblem } from './read-problem.ts';

const answer = (status: number, body: unknown) =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), { status });

test('a problem document tells what happened and which request it was', async () => {
  const error = await readProblem(
    answer(409, {
      type: 'about:blank',
      title: 'You already have one with this name.',
      status: 409,
      code: 'name_taken',
      next: 'Choose another name.',
      request_id: 'r-1',
      details: { param: 'name' },
    }),
  );
  expect(error).toMatchObject({
    status: 409,
    code: 'name_taken',
    message: 'You already have one with this name.',
    requestId: 'r-1',
    details: { param: 'name' },
  });
});

test('errors of sign-in and in OpenAI’s shape are read too', async () => {
  expect(await readProblem(answer(401, { code: 'INVALID', message: 'Invalid email or password' }))).toMatchObject({
    code: 'INVALID',
    message: 'Invalid email or password',
  });
  expect(await readProblem(answer(429, { error: { message: 'Slow down.', code: 'rate_limited' } }))).toMatchObject({
    status: 429,
    code: 'rate_limited',
    message: 'Slow down.',
  });
});

test.each([['<html>502</html>'], ['[1]'], ['null'], [''], ['{"title":7,"details":[1]}']])(
  'an answer that is not the server’s own has its status: %s',
  async (body) => {
    expect(await readProblem(answer(502, body))).toMatchObject({
      status: 502,
      code: 'unknown',
      message: '',
      details: {},
    });
  },
);
