import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { parseIpv6 } from './parse-ipv6.ts';

const refusedIpv4 = blockList('ipv4', [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carriers
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // a cloud's host agent, reachable only from inside
  ['169.254.0.0', 16], // link-local, cloud metadata
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays of 6to4
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
]);

const globalIpv6 = blockList('ipv6', [['2000::', 3]]);

const refusedIpv6 = blockList('ipv6', [
  ['2001::', 23], // protocol assignments, Teredo
  ['2001:db8::', 32], // documentation
  ['3fff::', 20], // documentation
]);

/** Whether an IP address is one that anybody on the internet could mean; everything private, local, reserved or hidden inside another address is not. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !refusedIpv4.check(address, 'ipv4');
  // A zone, as in fe80::1%eth0, names an interface of this machine.
  if (!isIPv6(address) || address.includes('%')) return false;
  const embedded = embeddedIpv4(parseIpv6(address));
  if (embedded !== undefined) return !refusedIpv4.check(embedded, 'ipv4');
  return globalIpv6.check(address, 'ipv6') && !refusedIpv6.check(address, 'ipv6');
}

/** The IPv4 address that packets to a mapped (::ffff:0:0/96), NAT64 (64:ff9b::/96) or 6to4 (2002::/16) address end up at. */
function embeddedIpv4(groups: readonly number[]): string | undefined {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  const zeros = (...parts: readonly number[]) => parts.every((part) => part === 0);
  if (zeros(a, b, c, d, e) && f === 0xffff) return dotted(g, h);
  if (a === 0x64 && b === 0xff9b && zeros(c, d, e, f)) return dotted(g, h);
  if (a === 0x2002) return dotted(b, c);
  return undefined;
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

function blockList(
  family: 'ipv4' | 'ipv6',
  subnets: readonly (readonly [network: string, prefix: number])[],
): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family);
  return list;
}
