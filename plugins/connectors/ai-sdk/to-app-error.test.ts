import { APICallError, UnsupportedFunctionalityError } from '@ai-sdk/provider';
import { AppError } from '@lamb/contract';
import { expect, test } from 'vitest';
import { toAppError } from './to-app-error.ts';

const before = { answering: false, apiKey: 'sk-secret' };
const prompt = { messages: ['what nobody may read in a log'] };
const call = (changes: object) =>
  new APICallError({ message: 'It failed.', url: 'https://x.example', requestBodyValues: prompt, ...changes });

test('the prompt that a call error carries stays out of ours', () => {
  const errors = [
    toAppError(call({ cause: new Error('ECONNREFUSED') }), before),
    toAppError(call({ statusCode: 400, responseBody: '{"error":{"message":"No."}}' }), before),
    toAppError(call({ statusCode: 200 }), before),
  ];
  expect(errors.map(({ code }) => code)).toEqual([
    'provider_unavailable',
    'provider_rejected',
    'provider_stream_broken',
  ]);
  for (const { cause } of errors) expect(cause).not.toBeInstanceOf(APICallError);
});

test('an error of ours that the dispatcher raised is passed on', () => {
  const refused = new AppError('provider_unavailable', { message: 'This address is not allowed.' });
  expect(toAppError(call({ cause: refused }), before)).toBe(refused);
});

test('what the package cannot do with the prompt is a rejection', () => {
  expect(toAppError(new UnsupportedFunctionalityError({ functionality: 'audio' }), before)).toMatchObject({
    code: 'provider_rejected',
    message: expect.stringContaining('audio'),
  });
});

test('anything is a broken stream once the answer has begun', () => {
  const error = toAppError(new TypeError('terminated'), { answering: true, apiKey: undefined });
  expect(error).toMatchObject({ code: 'provider_stream_broken', details: {} });
});
