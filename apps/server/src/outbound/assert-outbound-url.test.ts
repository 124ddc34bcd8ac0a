import { expect, test } from 'vitest';
import { assertOutboundUrl } from './assert-outbound-url.ts';
import { OutboundRefusedError } from './outbound-refused-error.ts';

test.each([
  'https://api.example.com',
  'https://api.example.com/v1/',
  'HTTPS://API.example.com:8443/v1?x=%20#part',
  'http://ollama:11434/api',
  'http://kb_server:9090',
  'http://127.0.0.1:9090',
  'http://[::1]:9090/x',
  'https://xn--bcher-kva.example/users/@me',
])('%s can be used', (text) => {
  expect(assertOutboundUrl(text).href).toBe(new URL(text).href);
});

test.each([
  [
    'odd spellings of an address',
    [
      'http://127.1/',
      'http://2130706433/',
      'http://0x7f.1/',
      'http://①②⑦.0.0.1/',
      'http://0177.0.0.1/',
      'http://127.0.0.1./',
    ],
  ],
  [
    'what readers read differently',
    [
      'http://user@host.example/',
      'http://user:password@host.example/',
      'http://@host.example/',
      'http://public.example#@127.0.0.1/',
      'http://public.example?@127.0.0.1/',
      'http://public.example\\@127.0.0.1/',
      'http://public.example/\\@127.0.0.1',
      'http:\\\\127.0.0.1/',
      'http:/127.0.0.1/',
      'http:127.0.0.1/',
      'http:///127.0.0.1/',
      'http://127.0.0.1\t.example/',
      ' http://host.example/',
      'http://host.example/\n',
      'http://host。example/',
      'http://host%2eexample/',
      'http://ⓔxample.com/',
    ],
  ],
  [
    'other schemes',
    [
      'file:///etc/passwd',
      'gopher://host:70/x',
      'data:text/plain,x',
      'ftp://host/',
      'javascript:alert(1)',
      'blob:http://x/1',
      '//host/x',
      '/x',
      '',
    ],
  ],
  [
    'ports that are none',
    ['http://host:0/', 'http://host:65536/', 'http://host:080/', 'http://host:/', 'http://host:8o/'],
  ],
  ['hosts that are none', ['http://[::1/', 'http://[::1%25eth0]/', 'http://[host]/', 'http://1.2.3.256/']],
])('%s are refused', (_, texts) => {
  for (const text of texts) {
    expect(() => assertOutboundUrl(text), text).toThrow(OutboundRefusedError);
  }
});
