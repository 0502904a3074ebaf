// The fixtures of this rule are put together here: written out, they would be found by anybody who looks for leaks.
import { leakViolations } from './checks/leaks.ts';

const found = (text: string, path = 'README.md') => leakViolations([{ path, text }]);

describe('a leak', () => {
  it.each([
    ['the host of a registry', ['registry', 'npmjs', 'org'].join('.')],
    ['the host of a mirror of ours', ['https://npm-mirror', 'artifactory', 'example'].join('.')],
    ['the home of a person', ['', 'home', 'joana', 'compasso'].join('/')],
    ['the home of the superuser', ['', 'root', '.cache', 'compasso'].join('/')],
    ['a private key in PEM', ['-----BEGIN', 'PRIVATE KEY-----'].join(' ')],
    ['a private key in PEM of an old form', ['-----BEGIN', 'RSA', 'PRIVATE KEY-----'].join(' ')],
    ['a private key in JWK', `{"kty":"OKP","${'d'}":"${'x'.repeat(43)}"}`],
    ['a signed token', ['eyJhbGciOiJFUzI1NiJ9', 'eyJzdWIiOiJzaG9wIn0', 'c2lnbmF0dXJlIQ'].join('.')],
    ['an access key', `AKIA${'0'.repeat(16)}`],
  ])('is found: %s', (_, text) => {
    expect(found(`see ${text} for it`)).toHaveLength(1);
  });

  it('is found in a long string of a JSON file', () => {
    expect(found(`{"key":"${'Ab1+'.repeat(30)}"}`, 'infra/keys.json')).toHaveLength(1);
  });

  it('is not a golden example, a public address or a path in the repository', () => {
    expect(found(`{"sealed":"${'Ab1_'.repeat(30)}"}`, 'libs/contracts/examples/one.json')).toEqual([]);
    expect(found('https://www.apache.org/licenses/ and apps/ledger/src/home/work.ts and $HOME/work/x')).toEqual([]);
  });
});
