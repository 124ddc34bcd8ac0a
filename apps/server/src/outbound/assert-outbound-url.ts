import { OutboundRefusedError } from './outbound-refused-error.ts';

const SHAPE = /^https?:\/\/(?<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(?<port>[1-9]\d{0,4}))?(?<rest>\/.*)?$/i;

/**
 * The address of an outgoing request, when every reader must read it the same way: http or https, no credentials, a host
 * that means what it says. Whether that host may be reached is decided when it is connected to.
 */
export function assertOutboundUrl(text: string): URL {
  if (!/^[\x21-\x7e]+$/.test(text) || text.includes('\\')) {
    throw refuse('it contains characters that have to be encoded');
  }
  if (!/^https?:\/\//i.test(text)) throw refuse('it must start with https:// or http://');
  const { host, port } = SHAPE.exec(text)?.groups ?? {};
  if (host === undefined || !URL.canParse(text)) {
    throw refuse('it must look like https://host/path, without a user name or password');
  }
  const url = new URL(text);
  // 127.1, 0x7f.1 and 2130706433 are names to some readers and addresses to others.
  const changed = !host.startsWith('[') && url.hostname !== host.toLowerCase();
  if (changed || url.username !== '' || url.password !== '' || Number(port ?? 1) > 65_535) {
    throw refuse('its host is written in an unusual way');
  }
  return url;
}

function refuse(why: string): OutboundRefusedError {
  return new OutboundRefusedError('url', `This address cannot be used: ${why}.`);
}
