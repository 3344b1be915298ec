import ipaddr from 'ipaddr.js';

/** The addresses that requests may or may not reach, beside the rule that they must be public. */
export interface AddressRules {
  /**
   * CIDR blocks and addresses that requests may reach although they are not public, also by HTTP and at any port.
   * Default: none.
   */
  readonly allow?: readonly string[] | undefined;
  /** CIDR blocks and addresses that requests never reach, even if they are allowed. Default: {@link DENY_CIDRS_DEFAULT}. */
  readonly deny?: readonly string[] | undefined;
}

/**
 * The metadata services of clouds, which give credentials to every program on a machine. Some have a public address. The
 * others are listed so that allowing the network around them does not open them.
 */
export const DENY_CIDRS_DEFAULT: readonly string[] = Object.freeze([
  '100.100.100.200/32',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '192.0.0.192/32',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
]);

/** Decides which addresses requests may reach. */
export interface AddressPolicy {
  /** Whether some address is allowed by HTTP or at another port than 443. */
  readonly hasExceptions: boolean;

  /**
   * Checks an IP address as text without brackets. Text that is no address is never permitted.
   *
   * @param isStandard whether the request is HTTPS at port 443
   */
  permits(address: string, isStandard: boolean): boolean;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The addresses that the internet routes to hosts. Everything else has a purpose of its own or none. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96');
const TEREDO = ipaddr.parseCIDR('2001::/32');
const SIX_TO_FOUR = ipaddr.parseCIDR('2002::/16');
/** IPv4-compatible, IPv4-mapped and IPv4-translated addresses. */
const WITH_IPV4_AT_END = ['::/96', '::ffff:0:0/96', '::ffff:0:0:0/96'].map((block) => ipaddr.parseCIDR(block));

/** `::` and `::1`, which are no IPv4-compatible addresses. */
const NOT_COMPATIBLE: ReadonlySet<string> = new Set(['unspecified', 'loopback']);

/** Checks whether `text` is an IP address or a CIDR block, with decimal numbers in IPv4 and without a zone. */
export function isAddressBlock(text: string): boolean {
  if (text.includes('%')) return false;
  return (
    ipaddr.IPv4.isValidFourPartDecimal(text) ||
    ipaddr.IPv4.isValidCIDRFourPartDecimal(text) ||
    ipaddr.IPv6.isValid(text) ||
    ipaddr.IPv6.isValidCIDR(text)
  );
}

/**
 * Creates the policy of a server. It never changes, so that an address that was permitted once stays permitted.
 *
 * @throws {Error} a rule is not an address or a CIDR block
 */
export function addressPolicy({ allow = [], deny = DENY_CIDRS_DEFAULT }: AddressRules = {}): AddressPolicy {
  const allowed = allow.map(parseBlock);
  const denied = deny.map(parseBlock);
  const check = (address: Address, isStandard: boolean): boolean => {
    if (isIn(denied, address)) return false;
    // A translator or a tunnel leads to the address inside.
    const inner = innerIpv4(address);
    if (inner && !check(inner, isStandard)) return false;
    return isIn(allowed, address) || (isStandard && isPublic(address));
  };
  return {
    hasExceptions: allowed.length > 0,
    permits: (text, isStandard) => isAddress(text) && check(ipaddr.parse(text), isStandard),
  };
}

function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || (ipaddr.IPv6.isValid(text) && !text.includes('%'));
}

function parseBlock(text: string): [Address, number] {
  if (!isAddressBlock(text)) throw new Error(`${text} is not an IP address or a CIDR block`);
  return text.includes('/') ? ipaddr.parseCIDR(text) : ipaddr.parseCIDR(`${text}/${text.includes(':') ? 128 : 32}`);
}

function isIn(blocks: readonly [Address, number][], address: Address): boolean {
  return blocks.some((block) => block[0].kind() === address.kind() && address.match(block));
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST);
}

/** Returns the IPv4 address that an IPv6 address contains; `undefined` if it contains none. */
function innerIpv4(address: Address): Address | undefined {
  if (address.kind() === 'ipv4' || NOT_COMPATIBLE.has(address.range())) return undefined;
  const bytes = address.toByteArray();
  if (isIn([NAT64, ...WITH_IPV4_AT_END], address)) return ipaddr.fromByteArray(bytes.slice(12));
  if (isIn([TEREDO], address)) return ipaddr.fromByteArray(bytes.slice(12).map((byte) => byte ^ 0xff));
  if (isIn([SIX_TO_FOUR], address)) return ipaddr.fromByteArray(bytes.slice(2, 6));
  return undefined;
}
