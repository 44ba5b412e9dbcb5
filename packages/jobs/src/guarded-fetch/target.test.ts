import { classifyError } from '@fairlane/sdk';
import { describe, expect, it } from 'vitest';
import { findTarget, type Address } from './target.js';

/** What the resolver answers in these tests. */
const NAMES: Record<string, string[]> = {
  'good.example': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'inside.example': ['10.0.0.5'],
  'mixed.example': ['93.184.215.14', '127.0.0.1'],
  'mixed6.example': ['2606:2800:21f:cb07:6820:80da:af6b:8b2c', '::1'],
  'scoped.example': ['fe80::1%eth0'],
  'empty.example': [],
  'many.example': Array.from({ length: 40 }, () => '93.184.215.14'),
  localhost: ['127.0.0.1'],
  'localhost.': ['127.0.0.1'],
  'app.localhost': ['::1'],
  'metadata.google.internal': ['169.254.169.254'],
};

async function resolve(hostname: string): Promise<Address[]> {
  const found = NAMES[hostname];
  if (found === undefined)
    throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' });
  return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}

const find = (url: string, allowPrivate = false) => findTarget(url, { allowPrivate, resolve });

describe('a target', () => {
  it.each([
    ['loopback', 'http://127.0.0.1/'],
    ['loopback, another of its addresses', 'http://127.8.9.1:8080/'],
    ['loopback in decimal', 'http://2130706433/'],
    ['loopback in hex', 'http://0x7f000001/'],
    ['loopback in octal', 'http://0177.0.0.1/'],
    ['loopback in octal, as one number', 'http://017700000001/'],
    ['loopback in hex parts', 'http://0x7f.0x0.0x0.0x1/'],
    ['loopback in mixed parts', 'http://0x7f.1/'],
    ['loopback in short', 'http://127.1/'],
    ['loopback in circled digits', 'http://①②⑦.⓪.⓪.①/'],
    ['loopback in percent signs', 'http://%31%32%37.0.0.1/'],
    ['loopback with a dot at its end', 'http://127.0.0.1./'],
    ['loopback by name', 'http://localhost:3000/'],
    ['loopback by name with a dot at its end', 'http://localhost./'],
    ['loopback by a name below localhost', 'http://app.localhost/'],
    ['loopback in IPv6', 'http://[::1]/'],
    ['loopback in IPv6, in full', 'http://[0:0:0:0:0:0:0:1]/'],
    ['loopback, mapped', 'http://[::ffff:127.0.0.1]/'],
    ['loopback, mapped in hex', 'http://[::ffff:7f00:1]/'],
    ['loopback, IPv4-compatible', 'http://[::127.0.0.1]/'],
    ['loopback, translated (SIIT)', 'http://[::ffff:0:127.0.0.1]/'],
    ['loopback behind NAT64', 'http://[64:ff9b::7f00:1]/'],
    ['loopback behind local NAT64', 'http://[64:ff9b:1::7f00:1]/'],
    ['loopback in 6to4', 'http://[2002:7f00:1::]/'],
    ['Teredo', 'http://[2001:0:7f00:1::]/'],
    ['this host', 'http://0.0.0.0/'],
    ['this host in one digit', 'http://0/'],
    ['this host in IPv6', 'http://[::]/'],
    ['a private address of 10/8', 'https://10.1.2.3/'],
    ['a private address of 172.16/12', 'https://172.31.255.255/'],
    ['a private address of 192.168/16', 'https://192.168.0.1/'],
    ['a private address in octal parts', 'http://0300.0250.0.1/'],
    ['a private address in decimal', 'http://3232235521/'],
    ['a private address, mapped', 'https://[::ffff:10.0.0.1]/'],
    ['a unique local address', 'https://[fd12:3456::1]/'],
    ['a site-local address', 'https://[fec0::1]/'],
    ['a link-local address', 'http://169.254.0.1/'],
    ['a link-local address in IPv6', 'http://[fe80::1]/'],
    ['a name of a link-local address with its interface', 'http://scoped.example/'],
    ['metadata of AWS, Google, Azure', 'http://169.254.169.254/latest/meta-data/'],
    ['metadata in decimal', 'http://2852039166/'],
    ['metadata, mapped', 'http://[::ffff:169.254.169.254]/'],
    ['metadata by its name', 'http://metadata.google.internal/'],
    ['metadata of AWS in IPv6', 'http://[fd00:ec2::254]/'],
    ['metadata of Oracle', 'http://192.0.0.192/'],
    ['metadata of Alibaba', 'http://100.100.100.200/'],
    ["Azure's channel to its machines", 'http://168.63.129.16/'],
    ['carrier-grade NAT', 'http://100.64.0.1/'],
    ['multicast', 'http://224.0.0.251/'],
    ['multicast in IPv6', 'http://[ff02::1]/'],
    ['broadcast', 'http://255.255.255.255/'],
    ['benchmarks', 'http://198.18.0.1/'],
    ['documentation', 'http://203.0.113.7/'],
    ['documentation in IPv6', 'http://[2001:db8::1]/'],
    ['a reserved address', 'http://240.0.0.1/'],
    ['a discard prefix', 'http://[100::1]/'],
    ['an address nobody was assigned', 'http://[4000::1]/'],
    ['a name inside', 'https://inside.example/hook'],
    ['a name with one address inside', 'https://mixed.example/hook'],
    ['a name with one address inside in IPv6', 'https://mixed6.example/hook'],
    ['a name without addresses', 'https://empty.example/'],
    ['credentials', 'https://user:secret@good.example/'],
    ['a user name', 'https://user@good.example/'],
    ['another protocol', 'ftp://good.example/'],
    ['a file', 'file:///etc/passwd'],
    ['data', 'data:text/plain,x'],
    ['a path', '/hook'],
    ['nothing', ''],
    ['an endless URL', `https://good.example/${'x'.repeat(3_000)}`],
  ])('may not be %s', async (_what, url) => {
    const error: unknown = await find(url).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'forbidden_target' });
    expect(classifyError(error)).toMatchObject({ class: 'permanent', code: 'rejected', applied: 'no' });
    expect((error as Error).message).toMatch(/^The target .*\.$|has no address$/);
  });

  it.each([
    'https://good.example/hook?x=1',
    'http://good.example:8080/',
    'https://93.184.215.14/',
    'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/',
    'https://[::ffff:93.184.215.14]/',
    'https://9.9.9.9/',
    'https://172.32.0.1/',
    'https://100.128.0.1/',
    'https://169.253.255.255/',
  ])('may be %s', async (url) => {
    expect((await find(url)).addresses.length).toBeGreaterThan(0);
  });

  it('may be inside where that is allowed, and still has to be a URL of the web', async () => {
    expect((await find('http://127.0.0.1:8080/', true)).addresses).toEqual([
      { address: '127.0.0.1', family: 4 },
    ]);
    expect((await find('https://inside.example/', true)).addresses).toHaveLength(1);
    await expect(find('file:///etc/passwd', true)).rejects.toMatchObject({ code: 'forbidden_target' });
  });

  it('says which address a name leads to', async () => {
    await expect(find('https://inside.example/')).rejects.toThrow(
      'The target must be a public address: inside.example leads to 10.0.0.5, which is in a private network.',
    );
    await expect(find('http://10.0.0.5/')).rejects.toThrow('10.0.0.5 is in a private network.');
  });

  it('that is not found for now is no forbidden one', async () => {
    const error: unknown = await find('https://unknown.example/').catch((thrown: unknown) => thrown);
    expect(classifyError(error)).toMatchObject({ class: 'retryable', code: 'connect_failed', applied: 'no' });
  });

  it('R14 is looked at up to a bound of addresses', async () => {
    expect((await find('https://many.example/')).addresses).toHaveLength(32);
  });

  it('is resolved by the operating system', async () => {
    await expect(findTarget('http://localhost/', { allowPrivate: false })).rejects.toThrow('this machine');
  });
});
